import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/domain/clock';
import type { Level, PluginsAccess } from '../../shared/domain/level';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { hashOfSecret } from '../domain/personal-api-key';
import { Principal } from '../principal';

/** Key, user and memberships in one statement: it runs before every request. */
const BY_KEY = new Statement<{
  user_id: number;
  uuid: string;
  email: string;
  is_active: boolean;
  current_organization_id: string | null;
  current_project_id: number | null;
  key_id: string;
  scopes: string[];
  scoped_organizations: string[];
  scoped_teams: number[];
  expired: boolean;
  last_use_is_stale: boolean;
  memberships: { organizationId: string; level: Level; pluginsAccessLevel: PluginsAccess }[];
}>(
  'identity.principal_by_key',
  `SELECT u.id AS user_id, u.uuid, u.email, u.is_active, u.current_organization_id, u.current_project_id,
          k.id AS key_id, k.scopes, k.scoped_organizations, k.scoped_teams,
          coalesce(k.expires_at <= $2, false) AS expired,
          coalesce(k.last_used_at < $2::timestamptz - interval '1 hour', true) AS last_use_is_stale,
          (SELECT coalesce(json_agg(json_build_object('organizationId', m.organization_id, 'level', m.level,
                                                      'pluginsAccessLevel', o.plugins_access_level)
                                    ORDER BY m.joined_at, m.id), '[]')
             FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id
            WHERE m.user_id = u.id) AS memberships
     FROM personal_api_keys k JOIN users u ON u.id = k.user_id
    WHERE k.value_hash = $1`,
);

/** The first use in an hour is noted (AUTH-07); of several processes one writes. */
const NOTE_USE = new Statement(
  'identity.note_key_use',
  `UPDATE personal_api_keys SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 hour')`,
);

const PROJECT = new Statement<{ organization_id: string }>(
  'identity.organization_of_project',
  'SELECT organization_id FROM projects WHERE id = $1 AND organization_id = ANY($2::uuid[])',
);

export type KeyLookup = Principal | 'unknown' | 'expired' | 'user inactive';

@Injectable()
export class PrincipalQueries {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
  ) {}

  async byKey(value: string): Promise<KeyLookup> {
    const now = this.clock.now();
    const [row] = await this.transaction.rows(BY_KEY, [hashOfSecret(value), now]);
    if (!row) return 'unknown';
    if (!row.is_active) return 'user inactive';
    if (row.expired) return 'expired';
    if (row.last_use_is_stale) await this.transaction.rows(NOTE_USE, [row.key_id, now]);
    return new Principal(
      row.user_id,
      row.uuid,
      row.email,
      row.key_id,
      row.scopes,
      row.scoped_organizations,
      row.scoped_teams,
      row.current_organization_id,
      row.current_project_id,
      row.memberships,
    );
  }

  /** The organization of a project, if it is one of these. */
  async organizationOfProject(projectId: number, among: readonly string[]): Promise<string | null> {
    const [row] = await this.transaction.rows(PROJECT, [projectId, among]);
    return row?.organization_id ?? null;
  }
}
