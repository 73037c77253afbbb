import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog } from '../activity/index';
import {
  AccountExists,
  hashOfSecret,
  IdentityService,
  type KeyGrant,
  type Principal,
  type User,
  UserRepository,
} from '../identity/index';
import { InviteAccepted } from '../organization/index';
import { Clock } from '../shared/domain/clock';
import type { Invalid } from '../shared/domain/domain-error';
import { DomainEvents } from '../shared/domain/domain-events';
import type { Level } from '../shared/domain/level';
import { Representation } from '../shared/domain/representation';
import { Mails } from '../shared/mail/mails';
import { Transaction } from '../shared/persistence/transaction';
import { AddressOfMember, InviteUnknown, SsoEnforced } from './domain/invite-errors';
import { AlreadyMember } from './domain/membership-errors';
import type { OrganizationInvite } from './domain/organization-invite';
import { OrganizationMembership } from './domain/organization-membership';
import { joinedMail } from './mails/joined.mail';
import { invitesEnded, joined } from './membership-activity';
import { InviteQueries, type Parties } from './persistence/invite.queries';
import { MemberQueries } from './persistence/member.queries';
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

/** What an invite offers, to whoever holds its link. */
export interface Offer extends Parties {
  readonly email: string;
  /** As the invite has it, or empty. */
  readonly firstName: string;
  readonly level: Level;
  readonly message: string | null;
  readonly expiresAt: Date;
  /** Why a new account cannot accept it, or null: AddressOfMember, AccountExists or SsoEnforced. */
  readonly hindrance: Invalid | null;
}

/** Joining by an invite. What is wrong with the invite is told in the order of SIGN-07. */
@Injectable()
export class SignUpService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly activity: ActivityLog,
    private readonly identity: IdentityService,
    private readonly users: UserRepository,
    private readonly memberships: OrganizationMembershipRepository,
    private readonly invites: OrganizationInviteRepository,
    private readonly inviteQueries: InviteQueries,
    private readonly memberQueries: MemberQueries,
    private readonly queries: SignUpQueries,
    private readonly mails: Mails,
  ) {}

  /** @throws InviteUnknown, InviteOfSomebodyElse, InviteExpired, AlreadyMember, AddressOfMember */
  retrieve(secret: string, caller: Principal | null): Promise<Representation> {
    return this.transaction.run(async () => {
      const invite = await this.usable(secret, caller);
      await this.refuseMember(invite, caller);
      return this.inviteQueries.offer(invite.organizationId, invite.id);
    });
  }

  /** What a person is shown before they accept. @throws InviteUnknown, InviteExpired */
  look(secret: string): Promise<Offer> {
    return this.transaction.run(async () => {
      const invite = await this.usable(secret, null);
      const { organizationId, createdById, targetEmail, firstName, grantedLevel, message, expiresAt } =
        invite;
      return {
        ...(await this.inviteQueries.parties(organizationId, createdById)),
        email: targetEmail,
        firstName,
        level: grantedLevel,
        message,
        expiresAt,
        hindrance: (await this.memberships.addressBelongs(organizationId, targetEmail))
          ? new AddressOfMember()
          : await this.hindranceOf(invite),
      };
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
      const hindrance = await this.hindranceOf(invite);
      if (hindrance) throw hindrance;
      const user = await this.identity.createUser({
        ...readNames(),
        email: invite.targetEmail,
        isEmailVerified: null,
      });
      return this.activity.by(user.id, async () => {
        await this.accept(invite, user.id);
        const key = await this.identity.issueAndReveal(user.id, FIRST_KEY);
        return this.queries.joined(invite.organizationId, user.id, key);
      });
    });
  }

  private async usable(secret: string, caller: Principal | null): Promise<OrganizationInvite> {
    const hash = hashOfSecret(secret);
    const invite = await this.invites.findBySecret(hash);
    if (!invite) throw new InviteUnknown(await this.invites.endingOf(hash));
    invite.refuseUseBy(caller?.email ?? null, this.clock.now());
    return invite;
  }

  /** Found again in turn: another acceptance may have used it up meanwhile. */
  private async usableInTurn(secret: string, caller: Principal | null): Promise<OrganizationInvite> {
    await this.memberships.takeTurn((await this.usable(secret, caller)).organizationId);
    return this.usable(secret, caller);
  }

  /** Why the address cannot have a new account, or null. */
  private async hindranceOf({ targetEmail, targetDomain }: OrganizationInvite): Promise<Invalid | null> {
    if (await this.users.findByEmail(targetEmail)) return new AccountExists();
    return (await this.inviteQueries.isSsoEnforced(targetDomain)) ? new SsoEnforced() : null;
  }

  private async refuseMember(invite: OrganizationInvite, caller: Principal | null): Promise<void> {
    if (!(await this.memberships.addressBelongs(invite.organizationId, invite.targetEmail))) return;
    throw caller ? new AlreadyMember() : new AddressOfMember();
  }

  /**
   * The invite is used up, with the person's other invites to the organization (SIGN-12), and what it promises in
   * private projects is given (SIGN-14). They enter the organization, and there the oldest project that they see. Who was mailed the link has proven to read the address; who was handed it has not (D23).
   */
  private async accept(invite: OrganizationInvite, userId: number): Promise<void> {
    const { organizationId, grantedLevel, targetEmail, createdById, promisedAccess } = invite;
    const now = this.clock.now();
    await this.memberships.save(
      OrganizationMembership.join(uuidv7(), organizationId, userId, grantedLevel, now),
    );
    const ended = await this.invites.endTo(organizationId, targetEmail, 'accepted', now);
    await this.activity.record(...invitesEnded(organizationId, ended, 'accepted'));
    // Before the user: whoever deletes a project locks it first, then those who are in it.
    await this.events.publish(new InviteAccepted(organizationId, userId, createdById, promisedAccess));
    const user = await this.users.get(userId);
    user.enter(organizationId, null);
    if (invite.isMailed) user.proveAddress();
    await this.users.save(user);
    await this.activity.record(joined(organizationId, user, grantedLevel));
    await this.tellOthers(invite, user);
  }

  /** SIGN-13. Each mail is named after the invite, which is accepted once. */
  private async tellOthers(
    { id, organizationId, createdById, grantedLevel }: OrganizationInvite,
    user: User,
  ) {
    if (!this.mails.enabled) return;
    const others = await this.memberQueries.toldOfJoining(organizationId, user.id, createdById);
    if (others.length === 0) return;
    const { organization } = await this.inviteQueries.parties(organizationId, null);
    const joiner = { name: user.fullName, address: user.email };
    for (const { userId, mailbox } of others) {
      const mail = joinedMail(mailbox, joiner, organization, grantedLevel);
      await this.mails.send(`invite ${id} accepted, to user ${userId}`, mail);
    }
  }
}
