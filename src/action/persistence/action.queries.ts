import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** SQL for the JSON text of an Action (2.9) out of `actions AS a`, which keep it, and their `creator` (ADR 24). */
export const ACTION_JSON = `a.before_creator || coalesce(creator.embedded::text, 'null') || a.after_creator`;

export const CREATOR = 'LEFT JOIN users creator ON creator.id = a.created_by_id';

/** What the list of the project $1 holds, and in which order: latest calculated first, then by name (PAGE-07). */
export const ACTION_LIST = 'a.project_id = $1 AND NOT a.deleted';
export const ACTION_ORDER = 'a.last_calculated_at DESC, a.name, a.id';

const RETRIEVE = resourceStatement('action.retrieve', {
  json: ACTION_JSON,
  from: `actions a ${CREATOR}`,
  where: 'a.project_id = $1 AND a.id = $2',
});

const LIST = pageStatement('action.list', {
  json: ACTION_JSON,
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
