import { Injectable, type OnModuleInit } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { OrganizationFounded } from '../organization/index';
import { Clock } from '../shared/domain/clock';
import { DomainEvents } from '../shared/domain/domain-events';
import { Level } from '../shared/domain/level';
import { Transaction } from '../shared/persistence/transaction';
import { OrganizationMembership } from './domain/organization-membership';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';

@Injectable()
export class MembershipService implements OnModuleInit {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly memberships: OrganizationMembershipRepository,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationFounded, ({ organizationId, founderId }) =>
      this.join(organizationId, founderId, Level.Owner),
    );
  }

  /** Makes the user a member of the organization. */
  join(organizationId: string, userId: number, level: Level): Promise<void> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      await this.memberships.save(OrganizationMembership.join(uuidv7(), organizationId, userId, level, now));
    });
  }
}
