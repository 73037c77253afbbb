import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** Where a user can be: an organization, and its oldest project if it has any. */
export interface Place {
  readonly organizationId: string;
  readonly projectId: number | null;
}

const FIRST_OF = new Statement<{ organization_id: string; project_id: number | null }>(
  'membership.first_place',
  `SELECT m.organization_id,
          (SELECT min(p.id) FROM projects p WHERE p.organization_id = m.organization_id) AS project_id
     FROM organization_memberships m WHERE m.user_id = $1 ORDER BY m.joined_at, m.id LIMIT 1`,
);

const OLDEST_PROJECT = new Statement<{ id: number | null }>(
  'membership.oldest_project',
  'SELECT min(id) AS id FROM projects WHERE organization_id = $1',
);

const KNOWN_PROJECTS = new Statement<{ number: number }>(
  'membership.known_projects',
  'SELECT count(*)::int AS number FROM projects WHERE organization_id = $1 AND id = ANY($2::int[])',
);

@Injectable()
export class PlaceQueries {
  constructor(private readonly transaction: Transaction) {}

  /** In the organization that the user has belonged to for the longest; null when there is none. */
  async firstOf(userId: number): Promise<Place | null> {
    const [row] = await this.transaction.rows(FIRST_OF, [userId]);
    return row ? { organizationId: row.organization_id, projectId: row.project_id } : null;
  }

  async within(organizationId: string): Promise<Place> {
    const [row] = await this.transaction.rows(OLDEST_PROJECT, [organizationId]);
    return { organizationId, projectId: row?.id ?? null };
  }

  /** Whether every one of these different ids is a project of the organization. */
  async areProjectsOf(organizationId: string, ids: readonly number[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const [row] = await this.transaction.rows(KNOWN_PROJECTS, [organizationId, ids]);
    return row?.number === ids.length;
  }
}
