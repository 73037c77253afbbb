import { Injectable } from '@nestjs/common';
import { arrayOf } from '../../shared/domain/representation';
import { pageStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { ACTION_JSON, ACTION_LIST, ACTION_ORDER, CREATOR } from './action.queries';

/** The whole list, or the part of it that is asked for. */
export interface TableWindow {
  readonly limit: number | null;
  readonly offset: number;
}

/** In the order of the list; four bytes each, so that a million are four megabytes. */
const IDS = new Statement<{ ids: Buffer | null }>(
  'action.table_ids',
  `SELECT string_agg(int4send(listed.id), '') AS ids
     FROM (SELECT a.id FROM actions a WHERE ${ACTION_LIST} ORDER BY ${ACTION_ORDER} LIMIT $2 OFFSET $3) AS listed`,
);

/**
 * Of the actions $2, in their order. Each is looked up by itself (OFFSET 0): a planner that does not know which project it
 * is may take that for a small one, and read a million actions for each few.
 */
const PART = {
  from: `unnest($2::integer[]) WITH ORDINALITY AS asked(id, place)
         CROSS JOIN LATERAL (SELECT * FROM actions WHERE id = asked.id OFFSET 0) a`,
  where: 'a.project_id = $1 AND NOT a.deleted',
  order: 'asked.place',
  count: 'cardinality($2::integer[])',
};
const ROWS = pageStatement('action.table_rows', {
  ...PART,
  from: `${PART.from} ${CREATOR}`,
  json: ACTION_JSON,
});
const DETAILS = pageStatement('action.table_details', { ...PART, columns: 'a.id, a.steps, a.tags' });

/** The actions of a list for a table, in pieces: each takes a connection for as long as it is read, and not longer. */
@Injectable()
export class ActionTableQueries {
  constructor(private readonly transaction: Transaction) {}

  /** The ids of the list as it is now, in its order (PAGE-07). */
  async ids(projectId: number, { limit, offset }: TableWindow): Promise<Int32Array> {
    const [row] = await this.transaction.rows(IDS, [projectId, limit, offset]);
    const bytes = row?.ids ?? Buffer.alloc(0);
    return Int32Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readInt32BE(4 * place));
  }

  /**
   * The JSON text of an array of the first of the actions, in the order of the ids: as many as go into one page, and
   * without those that were deleted meanwhile.
   */
  rows(projectId: number, ids: Int32Array): Promise<string> {
    return this.part(ROWS, projectId, ids);
  }

  /** As `rows`, of each only the id and what tables may need columns of their own for. */
  details(projectId: number, ids: Int32Array): Promise<string> {
    return this.part(DETAILS, projectId, ids);
  }

  private async part(statement: typeof ROWS, projectId: number, ids: Int32Array): Promise<string> {
    const window = { limit: ids.length, offset: 0 };
    const { results } = await this.transaction.page(statement, [projectId, [...ids]], window);
    return arrayOf(results);
  }
}
