import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What callers ask about the runs of batch exports most: how far a backfill is, and what a run's log says. */
export class RunLookups1700000000015 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Of a backfill that has ended it holds nothing, so that its runs need not be counted.
      CREATE INDEX batch_export_runs_open_of_backfill ON batch_export_runs (backfill_id)
        WHERE status IN ('Starting', 'Running', 'FailedRetryable');
      CREATE INDEX batch_export_log_entries_of_instance
        ON batch_export_log_entries (instance_id, timestamp DESC, id DESC);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX batch_export_log_entries_of_instance, batch_export_runs_open_of_backfill');
  }
}
