import type { MigrationInterface, QueryRunner } from 'typeorm';

const OPEN = "status IN ('Starting', 'Running', 'FailedRetryable')";

/** Whose turn it is: runs know their tenant, processes say how many runs they execute, and what is old goes. */
export class TurnsOfRuns1700000000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE batch_export_runs
        -- Those of the export, so that an index finds the next tenant; the trigger writes them. Null of old runs.
        ADD COLUMN organization_id uuid,
        ADD COLUMN project_id integer;

      CREATE FUNCTION batch_export_run_tenant() RETURNS trigger LANGUAGE plpgsql AS $function$
      BEGIN
        SELECT e.organization_id, e.project_id INTO NEW.organization_id, NEW.project_id
          FROM batch_exports e WHERE e.id = NEW.batch_export_id;
        RETURN NEW;
      END
      $function$;
      -- The version before this one writes runs too, while processes are replaced one by one.
      CREATE TRIGGER batch_export_runs_tenant BEFORE INSERT OR UPDATE ON batch_export_runs
        FOR EACH ROW WHEN (NEW.organization_id IS NULL) EXECUTE FUNCTION batch_export_run_tenant();
      UPDATE batch_export_runs SET organization_id = NULL WHERE ${OPEN};

      -- A run that waits for a worker is one with a queued_at; job_id is of the version before.
      DROP INDEX batch_export_runs_queued, batch_export_runs_in_hand, batch_export_runs_waiting;
      CREATE INDEX batch_export_runs_scheduled_turn
        ON batch_export_runs (organization_id, project_id, queued_at, data_interval_end, id)
        WHERE status = 'Starting' AND queued_at IS NOT NULL AND backfill_id IS NULL;
      CREATE INDEX batch_export_runs_backfill_turn
        ON batch_export_runs (organization_id, project_id, queued_at, data_interval_end, id)
        WHERE status = 'Starting' AND queued_at IS NOT NULL AND backfill_id IS NOT NULL;
      CREATE INDEX batch_export_runs_in_hand ON batch_export_runs (backfill_id)
        WHERE ${OPEN} AND queued_at IS NOT NULL AND backfill_id IS NOT NULL;
      CREATE INDEX batch_export_runs_waiting ON batch_export_runs (backfill_id, data_interval_start)
        WHERE status = 'Starting' AND queued_at IS NULL;
      CREATE INDEX batch_export_runs_finished ON batch_export_runs (finished_at, id) WHERE finished_at IS NOT NULL;
      CREATE INDEX batch_export_backfills_finished ON batch_export_backfills (finished_at, id)
        WHERE finished_at IS NOT NULL;

      -- Who exports at all.
      CREATE INDEX batch_exports_exporting ON batch_exports (organization_id, project_id)
        WHERE NOT paused AND NOT deleted;

      CREATE TABLE batch_export_workers (
        id uuid PRIMARY KEY,
        -- How many runs the process executes at once.
        slots integer NOT NULL,
        seen_at timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE batch_export_workers;
      DROP INDEX batch_exports_exporting, batch_export_backfills_finished, batch_export_runs_finished,
        batch_export_runs_waiting, batch_export_runs_in_hand, batch_export_runs_backfill_turn,
        batch_export_runs_scheduled_turn;
      DROP TRIGGER batch_export_runs_tenant ON batch_export_runs;
      DROP FUNCTION batch_export_run_tenant();
      ALTER TABLE batch_export_runs DROP COLUMN organization_id, DROP COLUMN project_id;
      UPDATE batch_export_runs SET queued_at = NULL, job_id = NULL, status = 'FailedRetryable', retry_at = now()
       WHERE status = 'Starting' AND queued_at IS NOT NULL;
      CREATE INDEX batch_export_runs_queued ON batch_export_runs (queued_at, id)
        WHERE status = 'Starting' AND job_id IS NOT NULL;
      CREATE INDEX batch_export_runs_in_hand ON batch_export_runs (backfill_id)
        WHERE ${OPEN} AND job_id IS NOT NULL AND backfill_id IS NOT NULL;
      CREATE INDEX batch_export_runs_waiting ON batch_export_runs (backfill_id, data_interval_start)
        WHERE status = 'Starting' AND job_id IS NULL;
    `);
  }
}
