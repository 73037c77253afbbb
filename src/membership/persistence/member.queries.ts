import { Injectable } from '@nestjs/common';
import { fullName } from '../../identity/index';
import { activeMembersOf } from '../../organization/index';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import type { Mailbox } from '../../shared/mail/message';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { MEMBER_ORDERS, type MemberFilter, type MemberOrder } from '../member-filter';

/** Each order is total (D5). */
const ORDERS: Record<MemberOrder, string> = {
  joined_at: 'm.joined_at, m.id',
  '-joined_at': 'm.joined_at DESC, m.id DESC',
  level: 'm.level, m.id',
  '-level': 'm.level DESC, m.id DESC',
  updated_at: 'm.updated_at, m.id',
  '-updated_at': 'm.updated_at DESC, m.id DESC',
};

/** SQL for a Member (2.7). Two factors and social log-in do not exist: keys are the only credentials (D23). */
const COLUMNS = `
  m.id, u.embedded AS "user", m.level, iso8601(m.joined_at) AS joined_at,
  iso8601(m.updated_at) AS updated_at, false AS is_2fa_enabled, false AS has_social_auth,
  iso8601(u.last_login) AS last_login`;

const USER = 'JOIN users u ON u.id = m.user_id';
const FROM = `organization_memberships m ${USER}`;

/** More are not written to at once. */
const MOST_RECIPIENTS = 100;

/** SQL for whom mails are sent to, of the users who are not deactivated. */
const MAILBOX = `${fullName('u')} AS name, u.email AS address`;

const ADMINISTRATORS = new Statement<Mailbox>(
  'member.administrators',
  `SELECT ${MAILBOX} FROM ${FROM}
    WHERE m.organization_id = $1 AND m.level >= ${Level.Admin} AND u.is_active
    ORDER BY m.level DESC, m.joined_at, m.id LIMIT ${MOST_RECIPIENTS}`,
);

const TOLD_OF_JOINING = new Statement<Mailbox & { user_id: number }>(
  'member.told_of_joining',
  `SELECT ${MAILBOX}, m.user_id FROM ${FROM} JOIN organizations o ON o.id = m.organization_id
    WHERE m.organization_id = $1 AND m.user_id <> $2 AND u.is_active AND o.is_member_join_email_enabled
    ORDER BY m.user_id IS NOT DISTINCT FROM $3 DESC, m.level DESC, m.joined_at, m.id LIMIT ${MOST_RECIPIENTS}`,
);

const RETRIEVE = resourceStatement('member.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: 'm.organization_id = $1 AND u.uuid = $2',
});

const ACTIVE =
  'm.organization_id = $1 AND EXISTS (SELECT FROM users a WHERE a.id = m.user_id AND a.is_active)';

/** Prepared without the filters, which are seldom given: with them it would be planned as if they always were. */
const listStatements = (order: MemberOrder) => {
  const list = { columns: COLUMNS, from: 'organization_memberships m', join: USER, order: ORDERS[order] };
  return {
    all: pageStatement(`member.list.${order}`, {
      ...list,
      where: ACTIVE,
      count: `SELECT ${activeMembersOf('$1')}::int`,
    }),
    some: pageStatement(`member.list_filtered.${order}`, {
      ...list,
      where: `${ACTIVE} AND ($2::timestamptz IS NULL OR m.updated_at > $2)
        AND ($3::text IS NULL OR m.user_id = (SELECT id FROM users WHERE lower(email) = lower($3)))`,
      prepared: false,
    }),
  };
};

const LISTS = Object.fromEntries(MEMBER_ORDERS.map((order) => [order, listStatements(order)])) as Record<
  MemberOrder,
  ReturnType<typeof listStatements>
>;

@Injectable()
export class MemberQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound */
  retrieve(organizationId: string, userUuid: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [organizationId, userUuid]);
  }

  /** Active members only (MEM-01). */
  list(
    organizationId: string,
    { order, updatedAfter, email }: MemberFilter,
    window: PageWindow,
  ): Promise<Page> {
    const { all, some } = LISTS[order];
    return updatedAfter === null && email === null
      ? this.transaction.page(all, [organizationId], window)
      : this.transaction.page(some, [organizationId, updatedAfter, email], window);
  }

  administrators(organizationId: string): Promise<Mailbox[]> {
    return this.transaction.rows(ADMINISTRATORS, [organizationId]);
  }

  /**
   * The members who hear that another one has joined, unless the organization wants none to (SIGN-13): who invited
   * first, then the highest levels. At most 100.
   */
  async toldOfJoining(
    organizationId: string,
    joinerId: number,
    inviterId: number | null,
  ): Promise<{ readonly userId: number; readonly mailbox: Mailbox }[]> {
    const rows = await this.transaction.rows(TOLD_OF_JOINING, [organizationId, joinerId, inviterId]);
    return rows.map(({ user_id, name, address }) => ({ userId: user_id, mailbox: { name, address } }));
  }
}
