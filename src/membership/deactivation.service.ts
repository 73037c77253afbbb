import { Injectable } from '@nestjs/common';
import { ActivityLog } from '../activity/index';
import { UserAdministration, type UserListing } from '../identity/index';
import { Clock } from '../shared/domain/clock';
import { Transaction } from '../shared/persistence/transaction';
import { LastOwner } from './domain/membership-errors';
import { invitesEnded } from './membership-activity';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';

/** Shuts users out, for the operator. Here and not where users are, because organizations need an owner (D19). */
@Injectable()
export class Deactivation {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly activity: ActivityLog,
    private readonly users: UserAdministration,
    private readonly memberships: OrganizationMembershipRepository,
    private readonly invites: OrganizationInviteRepository,
  ) {}

  /**
   * The user's keys stop working at once (D11), and the invites that they have made are withdrawn: they may know
   * the links. They stay a member of their organizations.
   * @param force whether an organization may be left without an active owner
   * @throws NobodyHasAddress, LastOwner
   */
  deactivate(email: string, force: boolean): Promise<UserListing> {
    return this.transaction.run(async () => {
      const userId = await this.users.idOf(email);
      const organizations = await this.memberships.organizationsOf(userId);
      // In one order, so that two deactivations at once do not wait for one another in a circle.
      for (const id of organizations) await this.memberships.takeTurn(id);
      const orphans = force ? [] : await this.memberships.ownedAlone(userId);
      if (orphans.length > 0) throw new LastOwner(email, orphans);
      const now = this.clock.now();
      for (const id of organizations) {
        const ended = await this.invites.withdrawAbove(id, userId, 0, now);
        await this.activity.record(...invitesEnded(id, ended, 'withdrawn'));
      }
      return this.users.deactivate(userId);
    });
  }
}
