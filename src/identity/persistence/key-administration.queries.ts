import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** A key as the operator sees it: without its value, and with whose it is. */
export interface KeyListing {
  readonly id: string;
  readonly label: string;
  readonly mask_value: string;
  /** The owner's address. */
  readonly user: string;
  readonly user_is_active: boolean;
  readonly scopes: readonly string[];
  /** Empty: not restricted; so are the projects. */
  readonly scoped_organizations: readonly string[];
  readonly scoped_teams: readonly number[];
  /** Moments are ISO 8601 texts. */
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly last_rolled_at: string | null;
  /** Null: never. */
  readonly expires_at: string | null;
}

const SELECT = `
  SELECT k.id, k.label, k.mask_value, u.email AS user, u.is_active AS user_is_active, k.scopes,
         k.scoped_organizations, k.scoped_teams, iso8601(k.created_at) AS created_at,
         iso8601(k.last_used_at) AS last_used_at, iso8601(k.last_rolled_at) AS last_rolled_at,
         iso8601(k.expires_at) AS expires_at
    FROM personal_api_keys k JOIN users u ON u.id = k.user_id`;

const RETRIEVE = new Statement<KeyListing>('key_administration.retrieve', `${SELECT} WHERE k.id = $1`);

/** Of a user ($1), and of those that reach an organization ($2), where these are given. */
const LIST = new Statement<KeyListing>(
  'key_administration.list',
  `${SELECT}
    WHERE ($1::integer IS NULL OR k.user_id = $1)
      AND ($2::uuid IS NULL OR (
            EXISTS (SELECT FROM organization_memberships m WHERE m.user_id = k.user_id AND m.organization_id = $2)
            AND (k.scoped_organizations = '{}' OR $2 = ANY (k.scoped_organizations))
            AND (k.scoped_teams = '{}' OR EXISTS (
                  SELECT FROM project_viewers v WHERE v.organization_id = $2 AND v.user_id = k.user_id
                     AND v.project_id = ANY (k.scoped_teams)))))
    ORDER BY lower(u.email), k.created_at DESC, k.id DESC`,
);

@Injectable()
export class KeyAdministrationQueries {
  constructor(private readonly transaction: Transaction) {}

  async retrieve(id: string): Promise<KeyListing | null> {
    const [row] = await this.transaction.rows(RETRIEVE, [id]);
    return row ?? null;
  }

  /** By owner, and the newest first. */
  list(userId: number | null, organizationId: string | null): Promise<KeyListing[]> {
    return this.transaction.rows(LIST, [userId, organizationId]);
  }
}
