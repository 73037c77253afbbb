import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { Backfill } from '../domain/backfill';
import { OPEN_STATUSES } from '../domain/run';

/** When the project was made: no event can have arrived before. */
const EARLIEST = new Statement<{ created_at: Date }>(
  'batch_export.earliest',
  'SELECT created_at FROM projects WHERE id = $1',
);

const ADD_RUNS = new Statement(
  'batch_export.add_runs',
  `INSERT INTO batch_export_runs (id, batch_export_id, backfill_id, status, data_interval_start, data_interval_end,
                                  created_at, last_updated_at)
   SELECT run.id, $1, $2, 'Starting', run.data_interval_start, run.data_interval_end, $3, $3
     FROM unnest($4::uuid[], $5::timestamptz[], $6::timestamptz[]) AS run (id, data_interval_start, data_interval_end)`,
);

const CANCEL_BACKFILLS = new Statement(
  'batch_export.cancel_backfills',
  `UPDATE batch_export_backfills SET status = 'Cancelled', finished_at = $2
    WHERE batch_export_id = $1 AND status = ANY($3)`,
);

const CANCEL_RUNS = new Statement(
  'batch_export.cancel_runs',
  `UPDATE batch_export_runs SET status = 'Cancelled', finished_at = $2, last_updated_at = $2
    WHERE batch_export_id = $1 AND status = ANY($3)`,
);

@Injectable()
export class BackfillRepository {
  constructor(private readonly transaction: Transaction) {}

  /** The moment before which a project has no data. */
  async earliestOf(projectId: number): Promise<Date> {
    const [row] = await this.transaction.rows(EARLIEST, [projectId]);
    if (!row) throw new Error(`Project ${projectId} of a batch export is missing`);
    return row.created_at;
  }

  /** Stores the backfill, and a run for each of its data intervals; the newest interval is the newest run. */
  async add(backfill: Backfill): Promise<void> {
    const { id, batchExportId, intervals, createdAt } = backfill;
    await this.transaction.manager.insert(Backfill, { ...backfill });
    await this.transaction.rows(ADD_RUNS, [
      batchExportId,
      id,
      createdAt,
      intervals.map(() => uuidv7()),
      intervals.map(({ start }) => start),
      intervals.map(({ end }) => end),
    ]);
  }

  /** Ends every backfill and run of an export that goes on (BE-28). */
  async cancelOpen(batchExportId: string, at: Date): Promise<void> {
    await this.transaction.rows(CANCEL_BACKFILLS, [batchExportId, at, OPEN_STATUSES]);
    await this.transaction.rows(CANCEL_RUNS, [batchExportId, at, OPEN_STATUSES]);
  }
}
