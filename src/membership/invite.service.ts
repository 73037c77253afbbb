import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { hashOfSecret, randomBase62 } from '../identity/index';
import { Clock } from '../shared/domain/clock';
import { Invalid } from '../shared/domain/domain-error';
import { type Page, type PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { InvitesMember, InvitesToUnknownProject, InvitesTwice } from './domain/invite-errors';
import { type Invitation, OrganizationInvite } from './domain/organization-invite';
import type { OrganizationMembership } from './domain/organization-membership';
import { InviteQueries } from './persistence/invite.queries';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';

const SECRET_BYTES = 32;

/** An invite as answers show it, and its secret, which is stored nowhere (D23). */
export interface Invited {
  readonly answer: Representation;
  readonly secret: string;
}

@Injectable()
export class InviteService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly memberships: OrganizationMembershipRepository,
    private readonly invites: OrganizationInviteRepository,
    private readonly queries: InviteQueries,
  ) {}

  list(organizationId: string, window: PageWindow): Promise<Page> {
    return this.queries.list(organizationId, this.clock.now(), window);
  }

  /** @throws InvitesSomebodyHigher, InvitesMember, InvitesToUnknownProject */
  create(organizationId: string, inviterId: number, invitation: Invitation): Promise<Invited> {
    return this.transaction.run(async () => {
      const inviter = await this.inviterInTurn(organizationId, inviterId);
      return this.invite(inviter, invitation);
    });
  }

  /**
   * All or nothing (INV-21). The errors are those of `create`, with the place in the list before the field
   * (`3__target_email`, D8), and InvitesTwice.
   */
  createAll(
    organizationId: string,
    inviterId: number,
    invitations: readonly Invitation[],
  ): Promise<Invited[]> {
    return this.transaction.run(async () => {
      const inviter = await this.inviterInTurn(organizationId, inviterId);
      const addresses = new Set<string>();
      const invited: Invited[] = [];
      for (const [index, invitation] of invitations.entries()) {
        try {
          const address = invitation.targetEmail.toLowerCase();
          if (addresses.has(address)) throw new InvitesTwice();
          addresses.add(address);
          invited.push(await this.invite(inviter, invitation));
        } catch (error) {
          throw error instanceof Invalid ? inItem(index, error) : error;
        }
      }
      return invited;
    });
  }

  /** For every member (INV-18). @throws NotFound */
  delete(organizationId: string, id: string): Promise<void> {
    return this.transaction.run(() => this.invites.remove(organizationId, id));
  }

  private async inviterInTurn(organizationId: string, userId: number): Promise<OrganizationMembership> {
    await this.memberships.takeTurn(organizationId);
    return this.memberships.getOf(organizationId, userId);
  }

  private async invite(inviter: OrganizationMembership, invitation: Invitation): Promise<Invited> {
    const { organizationId } = inviter;
    const now = this.clock.now();
    const secret = randomBase62(SECRET_BYTES);
    const invite = OrganizationInvite.issue(uuidv7(), hashOfSecret(secret), invitation, inviter, now);
    if (await this.memberships.addressBelongs(organizationId, invite.targetEmail)) throw new InvitesMember();
    if (!(await this.queries.areProjects(organizationId, invite.projectIds))) {
      throw new InvitesToUnknownProject();
    }
    if (invitation.combinePending) {
      const earlier = await this.invites.findTo(organizationId, invite.targetEmail);
      if (earlier) invite.absorb(earlier, inviter);
    }
    await this.invites.removeTo(organizationId, invite.targetEmail);
    await this.invites.save(invite);
    return { answer: await this.queries.retrieve(organizationId, invite.id, now), secret };
  }
}

function inItem(index: number, { attr, code, message }: Invalid): Invalid {
  return new Invalid(attr === null ? String(index) : `${index}__${attr}`, code, message);
}
