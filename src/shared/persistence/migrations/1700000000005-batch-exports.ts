import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Batch exports, their backfills, runs and logs. */
export class BatchExports1700000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE batch_exports (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
        name text NOT NULL,
        model varchar(16) NOT NULL,
        destination_type varchar(32) NOT NULL,
        destination_config jsonb NOT NULL,
        -- The destination's secrets, sealed under SECRET_KEY and bound to the id.
        destination_secrets bytea,
        interval varchar(32) NOT NULL,
        paused boolean NOT NULL,
        last_paused_at timestamptz,
        start_at timestamptz,
        end_at timestamptz,
        hogql_query text,
        -- What hogql_query compiles to; written by what executes runs, as is the time of the next one.
        schema jsonb,
        next_run_at timestamptz,
        created_at timestamptz NOT NULL,
        last_updated_at timestamptz NOT NULL,
        deleted boolean NOT NULL
      );
      -- Whole, not only of what is not deleted: they also serve the cascades.
      CREATE INDEX batch_exports_of_organization
        ON batch_exports (organization_id, deleted, created_at DESC, id DESC);
      CREATE INDEX batch_exports_of_project ON batch_exports (project_id, deleted, created_at DESC, id DESC);

      CREATE TABLE batch_export_backfills (
        id uuid PRIMARY KEY,
        batch_export_id uuid NOT NULL REFERENCES batch_exports ON DELETE CASCADE,
        start_at timestamptz,
        end_at timestamptz,
        status varchar(32) NOT NULL,
        total_runs integer NOT NULL,
        created_at timestamptz NOT NULL,
        finished_at timestamptz
      );
      CREATE INDEX batch_export_backfills_list
        ON batch_export_backfills (batch_export_id, created_at DESC, id DESC);

      CREATE TABLE batch_export_runs (
        id uuid PRIMARY KEY,
        batch_export_id uuid NOT NULL REFERENCES batch_exports ON DELETE CASCADE,
        backfill_id uuid REFERENCES batch_export_backfills ON DELETE CASCADE,
        status varchar(32) NOT NULL,
        data_interval_start timestamptz NOT NULL,
        data_interval_end timestamptz NOT NULL,
        records_completed integer,
        records_total_count integer,
        cursor text,
        latest_error text,
        created_at timestamptz NOT NULL,
        finished_at timestamptz,
        last_updated_at timestamptz NOT NULL
      );
      CREATE INDEX batch_export_runs_list ON batch_export_runs (batch_export_id, created_at DESC, id DESC);
      CREATE UNIQUE INDEX batch_export_runs_scheduled_unique
        ON batch_export_runs (batch_export_id, data_interval_start, data_interval_end) WHERE backfill_id IS NULL;
      CREATE UNIQUE INDEX batch_export_runs_backfill_unique
        ON batch_export_runs (backfill_id, data_interval_start, data_interval_end) WHERE backfill_id IS NOT NULL;
      CREATE INDEX batch_export_runs_starting ON batch_export_runs (created_at, id) WHERE status = 'Starting';

      CREATE TABLE batch_export_log_entries (
        id uuid PRIMARY KEY,
        batch_export_id uuid NOT NULL REFERENCES batch_exports ON DELETE CASCADE,
        instance_id uuid NOT NULL,
        timestamp timestamptz NOT NULL,
        level varchar(16) NOT NULL,
        message text NOT NULL
      );
      CREATE INDEX batch_export_log_entries_list
        ON batch_export_log_entries (batch_export_id, timestamp DESC, id DESC);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'DROP TABLE batch_export_log_entries, batch_export_runs, batch_export_backfills, batch_exports',
    );
  }
}
