import { Injectable } from '@nestjs/common';
import type { PluginsAccess } from '../../shared/domain/level';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** An organization as the operator sees it. */
export interface OrganizationListing {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly plugins_access_level: PluginsAccess;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** How many of its members are active. */
  readonly members: number;
  readonly projects: number;
  /** An ISO 8601 text. */
  readonly created_at: string;
}

const SELECT = `
  SELECT o.id, o.slug, o.name, o.plugins_access_level, o.metadata,
         (SELECT count(*)::int FROM organization_memberships m JOIN users u ON u.id = m.user_id
           WHERE m.organization_id = o.id AND u.is_active) AS members,
         (SELECT count(*)::int FROM projects p WHERE p.organization_id = o.id) AS projects,
         iso8601(o.created_at) AS created_at
    FROM organizations o`;

const RETRIEVE = new Statement<OrganizationListing>(
  'organization_administration.retrieve',
  `${SELECT} WHERE o.id = $1`,
);

const LIST = new Statement<OrganizationListing>(
  'organization_administration.list',
  `${SELECT} ORDER BY o.created_at, o.id`,
);

/** A slug may look like an id: the id goes first. */
const ID_OF = new Statement<{ id: string }>(
  'organization_administration.id_of',
  `SELECT id FROM organizations
    WHERE id = CASE WHEN $1 ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN $1::uuid END OR slug = $1
    ORDER BY id::text = lower($1) DESC LIMIT 1`,
);

@Injectable()
export class OrganizationAdministrationQueries {
  constructor(private readonly transaction: Transaction) {}

  async retrieve(id: string): Promise<OrganizationListing | null> {
    const [row] = await this.transaction.rows(RETRIEVE, [id]);
    return row ?? null;
  }

  /** Of the organization with this id or slug. */
  async idOf(name: string): Promise<string | null> {
    const [row] = await this.transaction.rows(ID_OF, [name]);
    return row?.id ?? null;
  }

  /** Oldest first. */
  list(): Promise<OrganizationListing[]> {
    return this.transaction.rows(LIST, []);
  }
}
