import { Statement } from '../../shared/persistence/statement';
import { OPEN_STATUSES } from '../domain/run';

/** How many runs one transaction of a tick changes. */
export const BATCH = 100;

export const ADD = new Statement<{ id: string }>(
  'batch_export.add_runs',
  `INSERT INTO batch_export_runs (id, batch_export_id, backfill_id, status, data_interval_start, data_interval_end,
                                  queued_at, created_at, last_updated_at)
   SELECT run.id, run.batch_export_id, run.backfill_id, 'Starting', run.data_interval_start, run.data_interval_end,
          run.queued_at, $7, $7
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[],
                 $6::timestamptz[])
       AS run (id, batch_export_id, backfill_id, data_interval_start, data_interval_end, queued_at)
   ON CONFLICT DO NOTHING
   RETURNING id`,
);

/** The columns that change after a run was made, with the fields that they hold. */
export const CHANGING = {
  status: ['status', 'text'],
  attempt: ['attempt', 'integer'],
  failures: ['failures', 'integer'],
  revision: ['revision', 'integer'],
  records_completed: ['recordsCompleted', 'integer'],
  records_total_count: ['recordsTotalCount', 'integer'],
  bytes: ['bytes', 'bigint'],
  cursor: ['cursor', 'text'],
  latest_error: ['latestError', 'text'],
  started_at: ['startedAt', 'timestamptz'],
  heartbeat_at: ['heartbeatAt', 'timestamptz'],
  retry_at: ['retryAt', 'timestamptz'],
  queued_at: ['queuedAt', 'timestamptz'],
  finished_at: ['finishedAt', 'timestamptz'],
  last_updated_at: ['lastUpdatedAt', 'timestamptz'],
} as const;

export const SAVE = new Statement(
  'batch_export.save_runs',
  `UPDATE batch_export_runs r
      SET ${Object.keys(CHANGING)
        .map((column) => `${column} = saved.${column}`)
        .join(', ')}
     FROM jsonb_to_recordset($1::jsonb)
       AS saved (id uuid, ${Object.entries(CHANGING)
         .map(([column, [, type]]) => `${column} ${type}`)
         .join(', ')})
    WHERE r.id = saved.id`,
);

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

export const CANCEL = new Statement<{
  id: string;
  started: boolean;
  scheduled: boolean;
  data_interval_start: Date;
}>(
  'batch_export.cancel_runs',
  `UPDATE batch_export_runs SET status = 'Cancelled', finished_at = $2, last_updated_at = $2, retry_at = NULL,
          heartbeat_at = NULL, queued_at = NULL
    WHERE batch_export_id = $1 AND status IN (${OPEN}) AND ($3::uuid IS NULL OR backfill_id = $3)
   RETURNING id, attempt > 0 AS started, backfill_id IS NULL AS scheduled, data_interval_start`,
);

export const ADVANCE = new Statement<{ id: string }>(
  'batch_export.advance_run',
  `UPDATE batch_export_runs
      SET records_completed = least($3, 2147483647::bigint), bytes = $4, cursor = $5,
          records_total_count = coalesce(least($6, 2147483647::bigint), records_total_count),
          heartbeat_at = $7, last_updated_at = $7
    WHERE id = $1 AND attempt = $2 AND status = 'Running' RETURNING id`,
);

export const SILENT = new Statement<RunPlace & { readonly attempt: number }>(
  'batch_export.silent_runs',
  `SELECT id, batch_export_id AS "batchExportId", attempt FROM batch_export_runs
    WHERE status = 'Running' AND heartbeat_at < $1 ORDER BY id LIMIT ${BATCH}`,
);

export const STARTED = new Statement<RunPlace>(
  'batch_export.outstayed_runs',
  `SELECT id, batch_export_id AS "batchExportId" FROM batch_export_runs
    WHERE status IN (${OPEN}) AND started_at IS NOT NULL AND started_at < $1 ORDER BY started_at LIMIT ${BATCH}`,
);

export const POSTPONE = new Statement<never>(
  'batch_export.postpone_run',
  "UPDATE batch_export_runs SET queued_at = $2 WHERE id = $1 AND status = 'Starting' AND queued_at IS NOT NULL",
);

/** Comes before every id. */
export const NO_ID = '00000000-0000-0000-0000-000000000000';

/** Where a run is found. */
export interface RunPlace {
  readonly id: string;
  readonly batchExportId: string;
}

/** A run that was open when its export was paused or deleted, or its backfill cancelled. */
export interface CancelledRun {
  readonly id: string;
  /** An attempt had begun. */
  readonly started: boolean;
  /** It was the schedule's, not a backfill's. */
  readonly scheduled: boolean;
  readonly dataIntervalStart: Date;
}
