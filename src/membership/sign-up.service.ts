import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import {
  AccountExists,
  hashOfSecret,
  IdentityService,
  type KeyGrant,
  type Principal,
  UserRepository,
} from '../identity/index';
import { Clock } from '../shared/domain/clock';
import { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { AddressOfMember, InviteUnknown, SsoEnforced } from './domain/invite-errors';
import { AlreadyMember } from './domain/membership-errors';
import type { OrganizationInvite } from './domain/organization-invite';
import { OrganizationMembership } from './domain/organization-membership';
import { InviteQueries } from './persistence/invite.queries';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';
import { SignUpQueries } from './persistence/sign-up.queries';

const FIRST_KEY: KeyGrant = {
  label: 'First key',
  scopes: ['*'],
  scopedOrganizations: [],
  scopedTeams: [],
  expiresAt: null,
};

export interface Names {
  readonly firstName: string;
  readonly lastName: string;
}

/** Joining by an invite. What is wrong with the invite is told in the order of SIGN-07. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly identity: IdentityService,
    private readonly users: UserRepository,
    private readonly memberships: OrganizationMembershipRepository,
    private readonly invites: OrganizationInviteRepository,
    private readonly inviteQueries: InviteQueries,
    private readonly queries: SignUpQueries,
  ) {}

  /** @throws InviteUnknown, InviteOfSomebodyElse, InviteExpired, AlreadyMember, AddressOfMember */
  retrieve(secret: string, caller: Principal | null): Promise<Representation> {
    return this.transaction.run(async () => {
      const invite = await this.usable(secret, caller);
      await this.refuseMember(invite, caller);
      return this.inviteQueries.offer(invite.organizationId, invite.id);
    });
  }

  /** The caller joins. @throws InviteUnknown, InviteOfSomebodyElse, InviteExpired, AlreadyMember */
  join(secret: string, caller: Principal): Promise<Representation> {
    return this.transaction.run(async () => {
      const invite = await this.usableInTurn(secret, caller);
      await this.refuseMember(invite, caller);
      await this.accept(invite, caller.userId);
      return this.queries.joined(invite.organizationId, caller.userId, null);
    });
  }

  /**
   * Makes an account for the invited address, with a key, which joins.
   * @param readNames called once the invite is known to be good: who may not come in is told so before they are
   * told what is wrong with their names (D13)
   * @throws InviteUnknown, InviteExpired, AccountExists, SsoEnforced
   */
  signUp(secret: string, readNames: () => Names): Promise<Representation> {
    return this.transaction.run(async () => {
      const invite = await this.usableInTurn(secret, null);
      if (await this.users.findByEmail(invite.targetEmail)) throw new AccountExists();
      if (await this.inviteQueries.isSsoEnforced(invite.targetDomain)) throw new SsoEnforced();
      const user = await this.identity.createUser({
        ...readNames(),
        email: invite.targetEmail,
        // Nothing is proven while the link is handed to who invites, not mailed to the address (D23).
        isEmailVerified: null,
      });
      await this.accept(invite, user.id);
      const key = await this.identity.issueAndReveal(user.id, FIRST_KEY);
      return this.queries.joined(invite.organizationId, user.id, key);
    });
  }

  private async usable(secret: string, caller: Principal | null): Promise<OrganizationInvite> {
    const invite = await this.invites.findBySecret(hashOfSecret(secret));
    if (!invite) throw new InviteUnknown();
    invite.refuseUseBy(caller?.email ?? null, this.clock.now());
    return invite;
  }

  /** Found again in turn: another acceptance may have used it up meanwhile. */
  private async usableInTurn(secret: string, caller: Principal | null): Promise<OrganizationInvite> {
    await this.memberships.takeTurn((await this.usable(secret, caller)).organizationId);
    return this.usable(secret, caller);
  }

  private async refuseMember(invite: OrganizationInvite, caller: Principal | null): Promise<void> {
    if (!(await this.memberships.addressBelongs(invite.organizationId, invite.targetEmail))) return;
    throw caller ? new AlreadyMember() : new AddressOfMember();
  }

  /**
   * The invite is used up, with the person's other invites to the organization (SIGN-12). They enter it, and there
   * its oldest project.
   */
  private async accept(invite: OrganizationInvite, userId: number): Promise<void> {
    const { organizationId, grantedLevel, targetEmail } = invite;
    const now = this.clock.now();
    await this.memberships.save(
      OrganizationMembership.join(uuidv7(), organizationId, userId, grantedLevel, now),
    );
    await this.invites.removeTo(organizationId, targetEmail);
    await this.identity.enter(userId, organizationId, null);
  }
}
