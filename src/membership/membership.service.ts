import { Injectable, type OnModuleInit } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog } from '../activity/index';
import { UserRepository } from '../identity/index';
import { OrganizationFounded } from '../organization/index';
import { Clock } from '../shared/domain/clock';
import { DomainEvents } from '../shared/domain/domain-events';
import { Level } from '../shared/domain/level';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import type { Mailbox } from '../shared/mail/message';
import { Transaction } from '../shared/persistence/transaction';
import { OrganizationMembership } from './domain/organization-membership';
import type { MemberFilter } from './member-filter';
import { activityOf, invitesEnded, joined } from './membership-activity';
import { MemberQueries } from './persistence/member.queries';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';

/** Who acts on whom: the caller's id, and the user's UUID. */
export interface MemberEdit {
  readonly organizationId: string;
  readonly editorId: number;
  readonly userUuid: string;
}

@Injectable()
export class MembershipService implements OnModuleInit {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly activity: ActivityLog,
    private readonly users: UserRepository,
    private readonly memberships: OrganizationMembershipRepository,
    private readonly invites: OrganizationInviteRepository,
    private readonly queries: MemberQueries,
  ) {}

  onModuleInit(): void {
    this.events.on(OrganizationFounded, ({ organizationId, founderId }) =>
      this.join(organizationId, founderId, Level.Owner),
    );
  }

  /** Makes the user a member of the organization. @throws AlreadyMember */
  join(organizationId: string, userId: number, level: Level): Promise<void> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      await this.memberships.save(OrganizationMembership.join(uuidv7(), organizationId, userId, level, now));
      await this.activity.record(joined(organizationId, await this.users.get(userId), level));
    });
  }

  list(organizationId: string, filter: MemberFilter, window: PageWindow): Promise<Page> {
    return this.queries.list(organizationId, filter, window);
  }

  /**
   * The member's invites to a level above their new one are withdrawn: they hold the links, and could accept one
   * under another address to have their old level back.
   * @throws NotFound, and Forbidden as MEM-13 says
   */
  changeLevel(edit: MemberEdit, level: Level | undefined): Promise<Representation> {
    return this.transaction.run(async () => {
      const { organizationId, userUuid } = edit;
      const { member, editor } = await this.inTurn(edit);
      const now = this.clock.now();
      const before = await this.queries.retrieve(organizationId, userUuid);
      member.changeLevel(level, editor, now);
      await this.memberships.save(member);
      const after = await this.queries.retrieve(organizationId, userUuid);
      await this.activity.updated(
        ...activityOf(organizationId, before),
        activityOf(organizationId, after)[1],
      );
      if (level !== undefined) await this.withdrawInvites(organizationId, member.userId, level);
      return after;
    });
  }

  /**
   * Ends a membership, the caller's own or another's, and withdraws the invites that the member has made. Who had
   * entered the organization has entered none then, and so finds themselves in the first of those they still belong
   * to, or in none (MEM-19).
   * @throws NotFound, Forbidden as MEM-13 says, OwnerCannotLeave
   */
  remove(edit: MemberEdit): Promise<void> {
    return this.transaction.run(async () => {
      const { member, editor } = await this.inTurn(edit);
      member.refuseRemovalBy(editor);
      const before = await this.queries.retrieve(edit.organizationId, edit.userUuid);
      await this.memberships.remove(member);
      const what = member.userId === edit.editorId ? 'left' : 'removed';
      await this.activity.deleted(...activityOf(edit.organizationId, before), what);
      await this.withdrawInvites(edit.organizationId, member.userId, 0);
      const user = await this.users.get(member.userId);
      if (user.currentOrganization !== edit.organizationId) return;
      user.enter(null, null);
      await this.users.save(user);
    });
  }

  /** Its owners, then its administrators, of each those who have been there longest first; at most 100. */
  administrators(organizationId: string): Promise<Mailbox[]> {
    return this.queries.administrators(organizationId);
  }

  /** Withdraws what the user has invited to above a level. */
  private async withdrawInvites(organizationId: string, userId: number, level: Level | 0): Promise<void> {
    const ended = await this.invites.withdrawAbove(organizationId, userId, level, this.clock.now());
    await this.activity.record(...invitesEnded(organizationId, ended, 'withdrawn'));
  }

  /** Read once nobody else can change them: of two owners who demote each other, one is too late (D19). */
  private async inTurn({ organizationId, editorId, userUuid }: MemberEdit) {
    await this.memberships.takeTurn(organizationId);
    const member = await this.memberships.get(organizationId, userUuid);
    const editor = await this.memberships.getOf(organizationId, editorId);
    return { member, editor };
  }
}
