import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { hashOfSecret } from '../domain/personal-api-key';
import type { Membership, SeenProject } from '../principal';
import { currentOf } from './user.columns';

export interface PrincipalRow {
  readonly user_id: number;
  readonly uuid: string;
  readonly email: string;
  readonly is_active: boolean;
  readonly current_organization_id: string | null;
  readonly current_project_id: number | null;
  readonly key_id: string;
  readonly scopes: string[];
  readonly scoped_organizations: string[];
  readonly scoped_teams: number[];
  readonly expired: boolean;
  readonly last_use_is_stale: boolean;
  readonly memberships: Membership[];
  /** The project that was asked for, where the user sees it. */
  readonly seen_project: SeenProject | null;
}

/** A key, and the project whose place in the row is `seen_project`: an id, or the user's current one. */
export interface AskedKey {
  readonly key: string;
  readonly project: number | 'current' | null;
}

/** Stands for the user's current project, where a project is asked for: ids of projects begin with 1. */
const CURRENT_PROJECT = 0;

/**
 * Keys, users, memberships and the projects of the paths in one statement: it runs before every request. Each key is
 * looked up by itself (OFFSET 0), along the index however many there are; that they are behind SELECT keeps their
 * number from the planner, which would otherwise make a plan for every few keys anew. One JSON is read faster than
 * a row of a dozen columns for each.
 */
const BY_KEYS = new Statement<{ found: readonly (PrincipalRow & { readonly place: number })[] }>(
  'identity.principals_by_keys',
  `SELECT coalesce(json_agg(found), '[]') AS found
     FROM unnest((SELECT $1::bytea[]), (SELECT $2::integer[])) WITH ORDINALITY AS asked(hash, project, place)
    CROSS JOIN LATERAL (
      SELECT asked.place, u.id AS user_id, u.uuid, u.email, u.is_active,
             current_organization.id AS current_organization_id, current_project.id AS current_project_id,
             k.id AS key_id, k.scopes, k.scoped_organizations, k.scoped_teams,
             coalesce(k.expires_at <= $3, false) AS expired,
             coalesce(k.last_used_at < $3::timestamptz - interval '1 hour', true) AS last_use_is_stale,
             (SELECT coalesce(json_agg(json_build_object('organizationId', m.organization_id, 'level', m.level,
                                                         'pluginsAccessLevel', o.plugins_access_level,
                                                         'maxKeyScopes', o.max_key_scopes)
                                       ORDER BY m.joined_at, m.id), '[]')
                FROM organization_memberships m JOIN organizations o ON o.id = m.organization_id
               WHERE m.user_id = u.id) AS memberships,
             (SELECT json_build_object('id', v.project_id, 'organizationId', v.organization_id, 'level', v.level)
                FROM project_viewers v
               WHERE v.user_id = u.id
                 AND v.project_id = CASE asked.project WHEN ${CURRENT_PROJECT} THEN current_project.id
                                                       ELSE asked.project END
             ) AS seen_project
        FROM personal_api_keys k JOIN users u ON u.id = k.user_id ${currentOf}
       WHERE k.value_hash = asked.hash
      OFFSET 0
    ) AS found`,
);

/** The first use in an hour is noted (AUTH-07); of several processes one writes. */
const NOTE_USE = new Statement(
  'identity.note_key_use',
  `UPDATE personal_api_keys SET last_used_at = $2
    WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2::timestamptz - interval '1 hour')`,
);

@Injectable()
export class PrincipalQueries {
  constructor(private readonly transaction: Transaction) {}

  /** For each key its row, in its place, or null. */
  async byKeys(asked: readonly AskedKey[], now: Date): Promise<(PrincipalRow | null)[]> {
    const hashes = asked.map(({ key }) => hashOfSecret(key));
    const projects = asked.map(({ project }) => (project === 'current' ? CURRENT_PROJECT : project));
    const [answer] = await this.transaction.rows(BY_KEYS, [hashes, projects, now]);
    const rows = Array<PrincipalRow | null>(asked.length).fill(null);
    for (const row of answer?.found ?? []) rows[row.place - 1] = row;
    return rows;
  }

  async noteUse(keyId: string, now: Date): Promise<void> {
    await this.transaction.rows(NOTE_USE, [keyId, now]);
  }
}
