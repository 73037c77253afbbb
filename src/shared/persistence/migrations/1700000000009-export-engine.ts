import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What executes batch exports: the schedule's place, the attempts of runs, and an index for each question of a tick. */
export class ExportEngine1700000000009 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE batch_exports
        -- Data before this is no longer the schedule's: it was given to runs, or skipped by a pause.
        ADD COLUMN scheduled_until timestamptz,
        -- Where the data begins whose scheduled runs the pause cancelled.
        ADD COLUMN missed_from timestamptz,
        ADD COLUMN failures_in_a_row integer NOT NULL DEFAULT 0,
        -- Counts the changes of what is exported and where to.
        ADD COLUMN revision integer NOT NULL DEFAULT 1;
      -- Exports of a version that ran none have nothing to catch up on.
      UPDATE batch_exports SET scheduled_until = now();
      ALTER TABLE batch_exports ALTER COLUMN scheduled_until SET NOT NULL;
      UPDATE batch_exports e SET next_run_at =
        CASE WHEN next.run_at <= coalesce(e.end_at, 'infinity') THEN next.run_at END
        FROM (SELECT id, date_bin(length, greatest(now(), start_at), '1970-01-05T00:00Z') + length AS run_at
                FROM (SELECT id, start_at, CASE batch_exports.interval
                        WHEN 'hour' THEN interval '1 hour' WHEN 'day' THEN interval '24 hours'
                        WHEN 'week' THEN interval '168 hours' ELSE interval '5 minutes' END AS length
                        FROM batch_exports) AS measured) AS next
       WHERE next.id = e.id;
      CREATE INDEX batch_exports_due ON batch_exports (next_run_at, id)
        WHERE NOT paused AND NOT deleted AND next_run_at IS NOT NULL;

      ALTER TABLE batch_export_runs
        ADD COLUMN attempt integer NOT NULL DEFAULT 0,
        ADD COLUMN failures integer NOT NULL DEFAULT 0,
        ADD COLUMN revision integer NOT NULL DEFAULT 0,
        ADD COLUMN bytes bigint,
        -- Of the first attempt.
        ADD COLUMN started_at timestamptz,
        ADD COLUMN heartbeat_at timestamptz,
        ADD COLUMN retry_at timestamptz,
        -- The job that a worker gets it by; null until it is its turn.
        ADD COLUMN job_id uuid,
        ADD COLUMN queued_at timestamptz;
      UPDATE batch_export_runs SET heartbeat_at = last_updated_at WHERE status = 'Running';
      DROP INDEX batch_export_runs_starting;
      CREATE INDEX batch_export_runs_open ON batch_export_runs (batch_export_id)
        WHERE status IN ('Starting', 'Running', 'FailedRetryable');
      CREATE INDEX batch_export_runs_queued ON batch_export_runs (queued_at, id)
        WHERE status = 'Starting' AND job_id IS NOT NULL;
      CREATE INDEX batch_export_runs_in_hand ON batch_export_runs (backfill_id)
        WHERE status IN ('Starting', 'Running', 'FailedRetryable') AND job_id IS NOT NULL AND backfill_id IS NOT NULL;
      CREATE INDEX batch_export_runs_waiting ON batch_export_runs (backfill_id, data_interval_start)
        WHERE status = 'Starting' AND job_id IS NULL;
      -- By id, so that a heartbeat changes no index.
      CREATE INDEX batch_export_runs_running ON batch_export_runs (id) WHERE status = 'Running';
      CREATE INDEX batch_export_runs_retry ON batch_export_runs (retry_at) WHERE status = 'FailedRetryable';
      CREATE INDEX batch_export_runs_started ON batch_export_runs (started_at)
        WHERE status IN ('Starting', 'Running', 'FailedRetryable') AND started_at IS NOT NULL;
      CREATE INDEX batch_export_runs_late ON batch_export_runs (data_interval_end)
        WHERE status IN ('Starting', 'Running', 'FailedRetryable') AND backfill_id IS NULL;

      CREATE INDEX batch_export_backfills_open ON batch_export_backfills (created_at, id)
        WHERE status IN ('Starting', 'Running');
      CREATE INDEX batch_export_log_entries_old ON batch_export_log_entries (timestamp);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX batch_export_log_entries_old, batch_export_backfills_open, batch_export_runs_late,
        batch_export_runs_started, batch_export_runs_retry, batch_export_runs_running, batch_export_runs_waiting,
        batch_export_runs_in_hand, batch_export_runs_queued, batch_export_runs_open, batch_exports_due;
      ALTER TABLE batch_export_runs DROP COLUMN attempt, DROP COLUMN failures, DROP COLUMN revision, DROP COLUMN bytes,
        DROP COLUMN started_at, DROP COLUMN heartbeat_at, DROP COLUMN retry_at, DROP COLUMN job_id,
        DROP COLUMN queued_at;
      CREATE INDEX batch_export_runs_starting ON batch_export_runs (created_at, id) WHERE status = 'Starting';
      ALTER TABLE batch_exports DROP COLUMN scheduled_until, DROP COLUMN missed_from, DROP COLUMN failures_in_a_row,
        DROP COLUMN revision;
    `);
  }
}
