import { Injectable } from '@nestjs/common';
import { type Page, type PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** The value is never among them: it is kept nowhere (D11). */
const COLUMNS = `
  k.id, k.label, NULL::text AS value, k.mask_value, iso8601(k.created_at) AS created_at,
  iso8601(k.last_used_at) AS last_used_at, iso8601(k.last_rolled_at) AS last_rolled_at,
  iso8601(k.expires_at) AS expires_at, k.user_id, k.scopes, k.scoped_organizations, k.scoped_teams`;

const FROM = 'personal_api_keys k';

const RETRIEVE = resourceStatement('personal_api_key.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: 'k.user_id = $1 AND k.id = $2',
});

const LIST = pageStatement('personal_api_key.list', {
  columns: COLUMNS,
  from: FROM,
  where: 'k.user_id = $1',
  order: 'k.created_at DESC, k.id DESC',
});

/** SQL for the projects of the organization to which the key is restricted and which its user sees. */
const PROJECTS_REACHED = `
  SELECT v.project_id FROM project_viewers v
   WHERE v.organization_id = m.organization_id AND v.user_id = m.user_id AND v.project_id = ANY (k.scoped_teams)`;

/** SQL for whether the key reaches the organization of which its user is a member. */
const REACHES = `
  (k.scoped_organizations = '{}' OR m.organization_id = ANY (k.scoped_organizations))
    AND (k.scoped_teams = '{}' OR EXISTS (${PROJECTS_REACHED}))`;

/** SQL for what the key is restricted to, as far as the organization is told: of others, and of their projects, nothing. */
const ORGANIZATIONS_TOLD = `
  CASE WHEN k.scoped_organizations = '{}' THEN '{}' ELSE ARRAY[m.organization_id] END`;
const PROJECTS_TOLD = `ARRAY(${PROJECTS_REACHED} ORDER BY v.project_id)`;

/** A key that reaches the organization $1 at the moment $2; of other organizations nothing is told. */
const LIST_REACHING = pageStatement('personal_api_key.list_reaching', {
  columns: `
    k.id, u.embedded AS "user", k.label, k.scopes, k.mask_value, iso8601(k.created_at) AS created_at,
    iso8601(k.last_used_at) AS last_used_at, iso8601(k.last_rolled_at) AS last_rolled_at,
    iso8601(k.expires_at) AS expires_at,
    ${ORGANIZATIONS_TOLD} AS scoped_organizations, ${PROJECTS_TOLD} AS scoped_teams`,
  from: `organization_memberships m JOIN users u ON u.id = m.user_id JOIN personal_api_keys k ON k.user_id = m.user_id`,
  where: `m.organization_id = $1 AND u.is_active AND (k.expires_at IS NULL OR k.expires_at > $2)
    AND ${REACHES}`,
  order: 'm.joined_at DESC, m.id DESC, k.created_at DESC, k.id DESC',
});

/** What an organization is told of a key ($1) that reaches it: of other organizations nothing. */
const REACH = new Statement<{ organization_id: string; shown: Readonly<Record<string, unknown>> }>(
  'personal_api_key.reach',
  `SELECT m.organization_id, json_build_object(
            'label', k.label, 'owner', u.email, 'scopes', k.scopes, 'mask_value', k.mask_value,
            'last_rolled_at', iso8601(k.last_rolled_at), 'expires_at', iso8601(k.expires_at),
            'scoped_organizations', ${ORGANIZATIONS_TOLD}, 'scoped_teams', ${PROJECTS_TOLD}) AS shown
     FROM personal_api_keys k JOIN users u ON u.id = k.user_id
     JOIN organization_memberships m ON m.user_id = k.user_id
    WHERE k.id = $1 AND ${REACHES}`,
);

const STRANGE_ORGANIZATIONS = new Statement<{ id: string }>(
  'personal_api_key.strange_organizations',
  `SELECT asked.id FROM unnest($2::uuid[]) AS asked(id)
    WHERE NOT EXISTS (SELECT FROM organization_memberships m
                       WHERE m.user_id = $1 AND m.organization_id = asked.id)`,
);

const STRANGE_TEAMS = new Statement<{ id: number }>(
  'personal_api_key.strange_teams',
  `SELECT asked.id FROM unnest($2::integer[]) AS asked(id)
    WHERE NOT EXISTS (SELECT FROM project_viewers v WHERE v.user_id = $1 AND v.project_id = asked.id)`,
);

@Injectable()
export class PersonalApiKeyQueries {
  constructor(private readonly transaction: Transaction) {}

  /** @throws NotFound for another user's key as well (KEY-11). */
  retrieve(userId: number, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [userId, id]);
  }

  /**
   * The key with its value, for the one answer that shows it (D11). The value takes no part in the statement: a
   * database may log the parameters of statements.
   */
  async reveal(userId: number, id: string, value: string): Promise<Representation> {
    const { json } = await this.retrieve(userId, id);
    return new Representation(JSON.stringify({ ...(JSON.parse(json) as object), value }));
  }

  /** Newest first. */
  list(userId: number, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [userId], window);
  }

  /** The members' keys that reach the organization now: by member, who joined last first, the newest key first. */
  listReaching(organizationId: string, now: Date, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST_REACHING, [organizationId, now], window);
  }

  /** By the id of each organization that the key reaches, what that is told of it; empty when there is no such key. */
  async reachOf(keyId: string): Promise<Map<string, Readonly<Record<string, unknown>>>> {
    const rows = await this.transaction.rows(REACH, [keyId]);
    return new Map(rows.map(({ organization_id, shown }) => [organization_id, shown]));
  }

  /** Those of the organizations that the user is no member of. */
  async strangeOrganizations(userId: number, ids: readonly string[]): Promise<string[]> {
    return (await this.transaction.rows(STRANGE_ORGANIZATIONS, [userId, ids])).map(({ id }) => id);
  }

  /** Those of the projects that the user does not see. */
  async strangeTeams(userId: number, ids: readonly number[]): Promise<number[]> {
    return (await this.transaction.rows(STRANGE_TEAMS, [userId, ids])).map(({ id }) => id);
  }
}
