import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** An Action (2.9) out of `actions AS a` and its `creator`. */
export const ACTION_COLUMNS = `
  a.id, a.name, a.description, a.tags, a.post_to_slack, a.slack_message_format, a.steps,
  iso8601(a.created_at) AS created_at, creator.embedded AS created_by, a.deleted, false AS is_calculating,
  iso8601(a.last_calculated_at) AS last_calculated_at, a.project_id AS team_id, true AS is_action,
  a.bytecode_error, iso8601(a.pinned_at) AS pinned_at, NULL::text AS creation_context`;

export const CREATOR = 'LEFT JOIN users creator ON creator.id = a.created_by_id';

/** What the list of the project $1 holds, and in which order: latest calculated first, then by name (PAGE-07). */
export const ACTION_LIST = 'a.project_id = $1 AND NOT a.deleted';
export const ACTION_ORDER = 'a.last_calculated_at DESC, a.name, a.id';

/** The JSON text of `actions AS a` and its `creator`, in a statement that does more than read it. */
export const ACTION_JSON = `row_to_json((SELECT resource FROM (SELECT ${ACTION_COLUMNS}) AS resource))::text`;

const RETRIEVE = resourceStatement('action.retrieve', {
  columns: ACTION_COLUMNS,
  from: `actions a ${CREATOR}`,
  where: 'a.project_id = $1 AND a.id = $2',
});

const LIST = pageStatement('action.list', {
  columns: ACTION_COLUMNS,
  from: 'actions a',
  join: CREATOR,
  where: ACTION_LIST,
  order: ACTION_ORDER,
  // Kept by triggers (ADR 21): a project may have a million.
  count: 'SELECT coalesce(sum(c.number), 0)::int FROM action_counts c WHERE c.project_id = $1',
});

@Injectable()
export class ActionQueries {
  constructor(private readonly transaction: Transaction) {}

  /** Deleted or not (ACT-13). @throws NotFound */
  retrieve(projectId: number, id: number): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [projectId, id]);
  }

  /** Those that are not deleted, latest calculated first, then by name (PAGE-07). */
  list(projectId: number, window: PageWindow): Promise<Page> {
    return this.transaction.page(LIST, [projectId], window);
  }
}
