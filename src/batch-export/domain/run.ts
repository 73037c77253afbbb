/** What a run, or a backfill as a whole, has come to (BE-11). */
export const RUN_STATUSES = [
  'Cancelled',
  'Completed',
  'ContinuedAsNew',
  'Failed',
  'FailedRetryable',
  'Terminated',
  'TimedOut',
  'Running',
  'Starting',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/**
 * A run or backfill in one of these goes on; in any other it has ended.
 *
 * What executes runs finds them in `batch_export_runs`. A run in `Starting` waits to be claimed, and may be as soon
 * as its data interval has ended. The index `batch_export_runs_starting` holds exactly these, oldest first, so that
 * any number of workers may each take the first that is free: `WHERE status = 'Starting' AND data_interval_end <=
 * now ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED`, then set `Running`. Deleting an export makes its open
 * runs `Cancelled`: who holds a run must look at its status again before writing that it ended. Scheduled runs have
 * no backfill, and there is one for each export and data interval (`batch_export_runs_scheduled_unique`); a backfill
 * has one for each of its own.
 */
export const OPEN_STATUSES: readonly RunStatus[] = ['Starting', 'Running'];
