import { Injectable, type OnModuleInit } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { IdentityService, randomBase62 } from '../identity/index';
import { OrganizationFounded } from '../organization/index';
import { Clock } from '../shared/domain/clock';
import { DomainEvents } from '../shared/domain/domain-events';
import { Transaction } from '../shared/persistence/transaction';
import { Project } from './domain/project';
import { ProjectRepository } from './persistence/project.repository';

const TOKEN_BYTES = 32;

@Injectable()
export class ProjectService implements OnModuleInit {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly identity: IdentityService,
    private readonly projects: ProjectRepository,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationFounded, ({ organizationId, founderId }) =>
      this.startWith(organizationId, founderId),
    );
  }

  /** The project that every organization starts with; the founder finds themselves in it (ORG-09). */
  private startWith(organizationId: string, founderId: number): Promise<void> {
    return this.transaction.run(async () => {
      const identity = { uuid: uuidv7(), apiToken: `phc_${randomBase62(TOKEN_BYTES)}` };
      const project = Project.create(organizationId, identity, { name: 'Default project' }, this.clock.now());
      await this.projects.save(project);
      await this.identity.enter(founderId, organizationId, project.id);
    });
  }
}
