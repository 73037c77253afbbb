import { Injectable } from '@nestjs/common';
import { embeddedUser } from '../../identity/index';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { OrganizationInvite } from '../domain/organization-invite';

/** SQL for an Invite (2.6); $2 is the oldest moment of creation that has not expired (INV-17). */
const COLUMNS = `
  i.id, i.target_email, i.first_name, i.emailing_attempt_made, i.level, i.created_at < $2 AS is_expired,
  ${embeddedUser('u')} AS created_by, iso8601(i.created_at) AS created_at, iso8601(i.updated_at) AS updated_at,
  i.message, i.private_project_access`;

const FROM = 'organization_invites i LEFT JOIN users u ON u.id = i.created_by_id';

const RETRIEVE = resourceStatement('invite.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: 'i.organization_id = $1 AND i.id = $3',
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

const KNOWN_PROJECTS = new Statement<{ number: number }>(
  'invite.known_projects',
  'SELECT count(*)::int AS number FROM projects WHERE organization_id = $1 AND id = ANY($2::bigint[])',
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
  retrieve(organizationId: string, id: string, now: Date): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [organizationId, OrganizationInvite.oldestValid(now), id]);
  }

  /** Newest first, expired ones too. */
  list(organizationId: string, now: Date, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [organizationId, OrganizationInvite.oldestValid(now)], window);
  }

  /** @throws NotFound */
  offer(organizationId: string, id: string): Promise<Representation> {
    return this.transaction.resource(OFFER, [organizationId, id]);
  }

  /** Whether the organization that has proven to own a domain wants its people to log in by SSO alone. */
  async isSsoEnforced(domain: string): Promise<boolean> {
    const [row] = await this.transaction.rows(SSO_ENFORCED, [domain]);
    return row?.enforced === true;
  }

  /** Whether every one of these different ids is a project of the organization. */
  async areProjects(organizationId: string, ids: readonly number[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const [row] = await this.transaction.rows(KNOWN_PROJECTS, [organizationId, ids]);
    return row?.number === ids.length;
  }
}
