import { Injectable } from '@nestjs/common';
import { fullName } from '../../identity/index';
import { NotFound } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import type { Mailbox } from '../../shared/mail/message';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { OrganizationInvite } from '../domain/organization-invite';

/** SQL for the projects of an organization that a user sees, as the ids that invites have. */
const seenProjects = (organization: string, user: string) =>
  `SELECT v.project_id::bigint AS id FROM project_viewers v
    WHERE v.organization_id = ${organization} AND v.user_id = ${user}`;

/**
 * SQL for an Invite (2.6); $2 is the oldest moment of creation that has not expired (INV-17), $3 who asks, who is not
 * told of projects that they do not see.
 */
const COLUMNS = `
  i.id, i.target_email, i.first_name, i.emailing_attempt_made, i.level, i.created_at < $2 AS is_expired,
  u.embedded AS created_by, iso8601(i.created_at) AS created_at, iso8601(i.updated_at) AS updated_at,
  i.message,
  (SELECT coalesce(json_agg(promised.item ORDER BY promised.place), '[]')
     FROM jsonb_array_elements(i.private_project_access) WITH ORDINALITY AS promised (item, place)
    WHERE (promised.item->>'id')::bigint IN (${seenProjects('i.organization_id', '$3')})) AS private_project_access`;

const FROM = 'organization_invites i LEFT JOIN users u ON u.id = i.created_by_id';

const RETRIEVE = resourceStatement('invite.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: 'i.organization_id = $1 AND i.id = $4',
});

const LIST = pageStatement('invite.list', {
  columns: COLUMNS,
  from: FROM,
  where: 'i.organization_id = $1',
  order: 'i.created_at DESC, i.id DESC',
});

/** What an invite tells whoever holds its link (SIGN-01). */
const OFFER = resourceStatement('invite.offer', {
  columns: 'i.id, i.target_email, i.first_name, o.name AS organization_name',
  from: 'organization_invites i JOIN organizations o ON o.id = i.organization_id',
  where: 'i.organization_id = $1 AND i.id = $2',
});

/** Who invites, and where to, in words. */
export interface Parties {
  readonly organization: string;
  /** Null when that user exists no more. */
  readonly inviter: Mailbox | null;
}

const PARTIES = new Statement<{ organization: string; name: string; address: string | null }>(
  'invite.parties',
  `SELECT o.name AS organization, ${fullName('u')} AS name, u.email AS address
     FROM organizations o LEFT JOIN users u ON u.id = $2 WHERE o.id = $1`,
);

/** Open projects of the organization, and private ones of which the user is an administrator (INV-13, INV-15). */
const PROMISABLE = new Statement<{ id: number }>(
  'invite.promisable',
  `SELECT p.id FROM projects p JOIN project_viewers v ON v.project_id = p.id AND v.user_id = $2
    WHERE p.organization_id = $1 AND p.id = ANY($3::bigint[]) AND (NOT p.access_control OR v.level >= ${Level.Admin})`,
);

const SSO_ENFORCED = new Statement<{ enforced: boolean }>(
  'invite.sso_enforced',
  `SELECT EXISTS (SELECT FROM organization_domains
                   WHERE domain = $1 AND verified_at IS NOT NULL AND sso_enforcement <> '') AS enforced`,
);

@Injectable()
export class InviteQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound */
  retrieve(organizationId: string, userId: number, id: string, now: Date): Promise<Representation> {
    const oldest = OrganizationInvite.oldestValid(now);
    return this.transaction.resource(RETRIEVE, [organizationId, oldest, userId, id]);
  }

  /** Newest first, expired ones too. */
  list(organizationId: string, userId: number, now: Date, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [organizationId, OrganizationInvite.oldestValid(now), userId], window);
  }

  /** @throws NotFound */
  offer(organizationId: string, id: string): Promise<Representation> {
    return this.transaction.resource(OFFER, [organizationId, id]);
  }

  /** @param inviterId null when there is no such user any more @throws NotFound */
  async parties(organizationId: string, inviterId: number | null): Promise<Parties> {
    const [row] = await this.transaction.rows(PARTIES, [organizationId, inviterId]);
    if (!row) throw new NotFound();
    const { organization, name, address } = row;
    return { organization, inviter: address === null ? null : { name, address } };
  }

  /** Whether the organization that has proven to own a domain wants its people to log in by SSO alone. */
  async isSsoEnforced(domain: string): Promise<boolean> {
    const [row] = await this.transaction.rows(SSO_ENFORCED, [domain]);
    return row?.enforced === true;
  }

  /** Those of the ids that name projects of the organization to which the user may promise access (INV-13, INV-15). */
  async promisable(
    organizationId: string,
    userId: number,
    ids: readonly number[],
  ): Promise<ReadonlySet<number>> {
    if (ids.length === 0) return new Set();
    const rows = await this.transaction.rows(PROMISABLE, [organizationId, userId, ids]);
    return new Set(rows.map(({ id }) => id));
  }
}
