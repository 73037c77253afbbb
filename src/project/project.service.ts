import { Injectable, type OnModuleInit } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog, type Snapshot, type Subject, snapshotOf } from '../activity/index';
import { IdentityService, randomBase62 } from '../identity/index';
import { OrganizationFounded } from '../organization/index';
import { Clock } from '../shared/domain/clock';
import { DomainEvents } from '../shared/domain/domain-events';
import type { Level } from '../shared/domain/level';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { Project, type ProjectDetails } from './domain/project';
import { ProjectQueries } from './persistence/project.queries';
import { ProjectRepository } from './persistence/project.repository';

const TOKEN_BYTES = 32;

@Injectable()
export class ProjectService implements OnModuleInit {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly events: DomainEvents,
    private readonly activity: ActivityLog,
    private readonly identity: IdentityService,
    private readonly projects: ProjectRepository,
    private readonly queries: ProjectQueries,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationFounded, ({ organizationId, founderId }) =>
      this.startWith(organizationId, founderId),
    );
  }

  /**
   * The projects of the organizations that the user sees, or of those the ones that `among` names, if any; oldest first.
   */
  list(
    userId: number,
    organizationIds: readonly string[],
    among: readonly number[],
    window: PageWindow,
  ): Promise<Page> {
    return this.queries.list(userId, organizationIds, among, window);
  }

  /** @throws NotFound */
  retrieve(organizationId: string, id: number): Promise<Representation> {
    return this.queries.retrieve(organizationId, id);
  }

  /** @throws TimezoneUnknown, NotFound when the organization has just been deleted */
  create(
    organizationId: string,
    details: ProjectDetails & { readonly name: string },
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const { id } = await this.add(organizationId, details);
      return this.queries.retrieve(organizationId, id);
    });
  }

  /** @param by the caller's level in the organization @throws NotFound, OnlyAdminsSetPrivacy, TimezoneUnknown */
  update(organizationId: string, id: number, by: Level, details: ProjectDetails): Promise<Representation> {
    return this.transaction.run(async () => {
      const project = await this.projects.get(organizationId, id);
      const before = await this.queries.retrieve(organizationId, id);
      this.preconditions.check(before);
      project.change(details, by, this.clock.now());
      await this.projects.save(project);
      const after = await this.queries.retrieve(organizationId, id);
      const [subject, fields] = activityOf(organizationId, after);
      await this.activity.updated(subject, activityOf(organizationId, before)[1], fields);
      return after;
    });
  }

  /**
   * Deletes everything in it as well, in the same transaction. Those whose current project it was find themselves
   * in the oldest one of the organization that they see, which is what no current project stands for (`currentOf` in identity).
   * @throws NotFound
   */
  delete(organizationId: string, id: number): Promise<void> {
    return this.transaction.run(async () => {
      const project = await this.projects.get(organizationId, id);
      const before = await this.queries.retrieve(organizationId, id);
      this.preconditions.check(before);
      await this.projects.remove(project);
      await this.activity.deleted(...activityOf(organizationId, before));
    });
  }

  /** The project that every organization starts with; the founder finds themselves in it (ORG-09). */
  private startWith(organizationId: string, founderId: number): Promise<void> {
    return this.transaction.run(async () => {
      const project = await this.add(organizationId, { name: 'Default project' });
      await this.identity.enter(founderId, organizationId, project.id);
    });
  }

  private async add(
    organizationId: string,
    details: ProjectDetails & { readonly name: string },
  ): Promise<Project> {
    const identity = { uuid: uuidv7(), apiToken: `phc_${randomBase62(TOKEN_BYTES)}` };
    const project = Project.create(organizationId, identity, details, this.clock.now());
    await this.projects.save(project);
    const after = await this.queries.retrieve(organizationId, project.id);
    await this.activity.created(...activityOf(organizationId, after));
    return project;
  }
}

function activityOf(organizationId: string, shown: Representation): readonly [Subject, Snapshot] {
  const { id, name, ...fields } = snapshotOf(shown, 'api_token', 'organization');
  const subject = { organizationId, projectId: Number(id), scope: 'Project', itemId: String(id) };
  return [
    { ...subject, name: String(name) },
    { id, name, ...fields },
  ];
}
