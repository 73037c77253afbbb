import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { NO_ID } from './run.statements';

/** How many one transaction looks at. */
const PAGE = 1_000;

/** The last of a page, which the next one goes on behind. */
export interface OldPage {
  readonly id: string;
  /** To the microsecond, as text. */
  readonly finishedAt: string;
}

/** `$1` is since when they are kept, `$2` and `$3` the last of the page before; `unneeded` is said of the alias `o`. */
const deletion = (name: string, table: string, unneeded: string) =>
  new Statement<OldPage>(
    `batch_export.delete_old_${name}`,
    `WITH page AS (
       SELECT id, finished_at FROM ${table}
        WHERE finished_at < $1 AND finished_at >= $2 AND (finished_at, id) > ($2, $3)
        ORDER BY finished_at, id LIMIT ${PAGE}
     ), old AS (
       SELECT o.id FROM ${table} o WHERE o.id IN (SELECT id FROM page) AND o.finished_at < $1 AND ${unneeded}
          FOR UPDATE SKIP LOCKED
     ), deleted AS (
       DELETE FROM ${table} WHERE id IN (SELECT id FROM old)
     )
     SELECT id, finished_at::text AS "finishedAt" FROM page ORDER BY finished_at DESC, id DESC LIMIT 1`,
  );

const OLD_RUNS = deletion(
  'runs',
  'batch_export_runs',
  `EXISTS (SELECT FROM batch_export_runs newer WHERE newer.batch_export_id = o.batch_export_id
              AND (newer.created_at, newer.id) > (o.created_at, o.id))
   AND NOT EXISTS (SELECT FROM batch_export_backfills b
                    WHERE b.id = o.backfill_id AND b.status IN ('Starting', 'Running'))
   AND NOT EXISTS (SELECT FROM batch_export_runs sibling
                    WHERE sibling.backfill_id = o.backfill_id
                      AND (sibling.finished_at IS NULL OR sibling.finished_at >= $1))`,
);

const OLD_BACKFILLS = deletion(
  'backfills',
  'batch_export_backfills',
  'NOT EXISTS (SELECT FROM batch_export_runs r WHERE r.backfill_id = o.id)',
);

/** Deletes what ended long ago, a page at a time, the oldest first; what others have locked stays for another time. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * But for the newest run of each export, and for those of a backfill that goes on or has a run that is kept: what a
   * backfill has come to is told by all of its runs together.
   * @param after null at first
   * @returns the last of the page, or null when there are no more
   */
  deleteRuns(before: Date, after: OldPage | null): Promise<OldPage | null> {
    return this.delete(OLD_RUNS, before, after);
  }

  /** As `deleteRuns`, backfills that have no run any more. */
  deleteBackfills(before: Date, after: OldPage | null): Promise<OldPage | null> {
    return this.delete(OLD_BACKFILLS, before, after);
  }

  private async delete(
    statement: Statement<OldPage>,
    before: Date,
    after: OldPage | null,
  ): Promise<OldPage | null> {
    const values = [before, after?.finishedAt ?? '-infinity', after?.id ?? NO_ID];
    const [last] = await this.transaction.rows(statement, values);
    return last ?? null;
  }
}
