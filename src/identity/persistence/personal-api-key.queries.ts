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

const STRANGE_ORGANIZATIONS = new Statement<{ id: string }>(
  'personal_api_key.strange_organizations',
  `SELECT asked.id FROM unnest($2::uuid[]) AS asked(id)
    WHERE NOT EXISTS (SELECT FROM organization_memberships m
                       WHERE m.user_id = $1 AND m.organization_id = asked.id)`,
);

const STRANGE_TEAMS = new Statement<{ id: number }>(
  'personal_api_key.strange_teams',
  `SELECT asked.id FROM unnest($2::integer[]) AS asked(id)
    WHERE NOT EXISTS (SELECT FROM projects p
                        JOIN organization_memberships m ON m.organization_id = p.organization_id
                       WHERE m.user_id = $1 AND p.id = asked.id)`,
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

  /** Those of the organizations that the user is no member of. */
  async strangeOrganizations(userId: number, ids: readonly string[]): Promise<string[]> {
    return (await this.transaction.rows(STRANGE_ORGANIZATIONS, [userId, ids])).map(({ id }) => id);
  }

  /** Those of the projects that are in none of the user's organizations. */
  async strangeTeams(userId: number, ids: readonly number[]): Promise<number[]> {
    return (await this.transaction.rows(STRANGE_TEAMS, [userId, ids])).map(({ id }) => id);
  }
}
