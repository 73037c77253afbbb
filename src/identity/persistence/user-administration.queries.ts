import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** A user as the operator sees them. */
export interface UserListing {
  readonly uuid: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly is_active: boolean;
  /** An ISO 8601 text, as is the other moment. */
  readonly date_joined: string;
  /** How many keys they have. */
  readonly keys: number;
  /** When one of their keys was last used; null: none ever was. */
  readonly last_used_at: string | null;
  readonly organizations: readonly { readonly id: string; readonly slug: string; readonly level: number }[];
}

const SELECT = `
  SELECT u.uuid, u.email, u.first_name, u.last_name, u.is_active, iso8601(u.date_joined) AS date_joined,
         (SELECT count(*)::int FROM personal_api_keys k WHERE k.user_id = u.id) AS keys,
         (SELECT iso8601(max(k.last_used_at)) FROM personal_api_keys k WHERE k.user_id = u.id) AS last_used_at,
         (SELECT coalesce(json_agg(json_build_object('id', o.id, 'slug', o.slug, 'level', m.level)
                                   ORDER BY m.joined_at, m.id), '[]')
            FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id
           WHERE m.user_id = u.id) AS organizations
    FROM users u`;

const RETRIEVE = new Statement<UserListing>('user_administration.retrieve', `${SELECT} WHERE u.id = $1`);

const LIST = new Statement<UserListing>(
  'user_administration.list',
  `${SELECT}
    WHERE $1::uuid IS NULL
       OR EXISTS (SELECT FROM organization_memberships m WHERE m.user_id = u.id AND m.organization_id = $1)
    ORDER BY lower(u.email), u.id`,
);

@Injectable()
export class UserAdministrationQueries {
  constructor(private readonly transaction: Transaction) {}

  async retrieve(id: number): Promise<UserListing | null> {
    const [row] = await this.transaction.rows(RETRIEVE, [id]);
    return row ?? null;
  }

  /** By address; the members of an organization where one is given. */
  list(organizationId: string | null): Promise<UserListing[]> {
    return this.transaction.rows(LIST, [organizationId]);
  }
}
