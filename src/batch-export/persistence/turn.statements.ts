import { Statement } from '../../shared/persistence/statement';
import type { RunKind, Tenant } from '../domain/turns';

/**
 * Claims are made one after the other, whichever process makes them: each counts what those before have taken. A process
 * that stalls in the middle of one loses it.
 */
export const LOCK = new Statement<unknown>(
  'batch_export.lock_turns',
  `SELECT set_config('idle_in_transaction_session_timeout', '15s', true),
          pg_advisory_xact_lock(hashtext('batch_export.turns'))`,
);

export interface OccupancyRow {
  readonly slots: number;
  readonly running: (Tenant & { readonly runs: number; readonly backfillRuns: number })[];
  readonly exporting: Tenant[];
}

const EXPORTING = `
  SELECT organization_id, project_id FROM batch_exports WHERE NOT paused AND NOT deleted`;

/** $1 is the process that asks, $2 its slots, $3 since when the others have to have been seen. */
export const OCCUPANCY = new Statement<OccupancyRow>(
  'batch_export.occupancy',
  `SELECT ($2 + (SELECT coalesce(sum(slots), 0) FROM batch_export_workers WHERE id <> $1 AND seen_at > $3))::int AS slots,
          (SELECT coalesce(jsonb_agg(jsonb_build_object('organizationId', organization_id, 'projectId', project_id,
                                                        'runs', runs, 'backfillRuns', backfill_runs)), '[]')
             FROM (SELECT organization_id, project_id, count(*) AS runs, count(backfill_id) AS backfill_runs
                     FROM batch_export_runs WHERE status = 'Running' GROUP BY 1, 2) AS running) AS running,
          (SELECT coalesce(jsonb_agg(jsonb_build_object('organizationId', organization_id, 'projectId', project_id)),
                           '[]')
             FROM ((${EXPORTING} ORDER BY organization_id, project_id LIMIT 1)
                   UNION ALL
                   (${EXPORTING} ORDER BY organization_id DESC, project_id DESC LIMIT 1)) AS exporting) AS exporting`,
);

export interface NextRow {
  readonly organizationId: string;
  /** Null when what waits of the organization may not be had. */
  readonly id: string | null;
}

/**
 * Leaves out what is being deleted, which would have all claims wait. Goes from one organization to the next in the index of what waits, and reads nothing else of it, however much there
 * is. $1 is the organization that was served last, $2 those to pass over, $3 and $4 the projects that hold slots and how
 * many, $5 those to pass over.
 */
const next = (kind: RunKind): Statement<NextRow> => {
  const waiting = `
    batch_export_runs w WHERE w.status = 'Starting' AND w.queued_at IS NOT NULL
       AND w.backfill_id IS ${kind === 'schedule' ? 'NULL' : 'NOT NULL'}`;
  return new Statement(
    `batch_export.next_of_${kind}`,
    `WITH RECURSIVE organizations AS (
       SELECT (SELECT w.organization_id FROM ${waiting} AND w.organization_id > $1
                ORDER BY w.organization_id LIMIT 1) AS id
       UNION ALL
       SELECT (SELECT w.organization_id FROM ${waiting} AND w.organization_id > o.id
                ORDER BY w.organization_id LIMIT 1)
         FROM organizations o WHERE o.id = ANY($2::uuid[])
     ), projects AS (
       SELECT o.id AS organization_id,
              (SELECT w.project_id FROM ${waiting} AND w.organization_id = o.id
                ORDER BY w.organization_id, w.project_id LIMIT 1) AS id
         FROM organizations o WHERE o.id IS NOT NULL AND o.id <> ALL($2::uuid[])
       UNION ALL
       SELECT p.organization_id,
              (SELECT w.project_id FROM ${waiting} AND w.organization_id = p.organization_id AND w.project_id > p.id
                ORDER BY w.organization_id, w.project_id LIMIT 1)
         FROM projects p WHERE p.id IS NOT NULL
     )
     SELECT o.id AS "organizationId", run.id
       FROM organizations o
       LEFT JOIN LATERAL (
         SELECT p.id FROM projects p LEFT JOIN unnest($3::integer[], $4::integer[]) AS running (id, runs) USING (id)
          WHERE p.id IS NOT NULL AND p.id <> ALL($5::integer[])
          ORDER BY coalesce(running.runs, 0), random() LIMIT 1) AS project ON true
       LEFT JOIN LATERAL (
         SELECT w.id FROM batch_exports e, ${waiting}
            AND w.batch_export_id = e.id AND w.organization_id = o.id AND w.project_id = project.id
          ORDER BY w.organization_id, w.project_id, w.queued_at, w.data_interval_end, w.id
          LIMIT 1 FOR KEY SHARE OF e SKIP LOCKED FOR NO KEY UPDATE OF w SKIP LOCKED) AS run ON true
      WHERE o.id IS NOT NULL AND o.id <> ALL($2::uuid[])`,
  );
};

export const NEXT: Readonly<Record<RunKind, Statement<NextRow>>> = {
  schedule: next('schedule'),
  backfill: next('backfill'),
};

export const SIGN_IN = new Statement<never>(
  'batch_export.sign_in_worker',
  `INSERT INTO batch_export_workers AS w (id, slots, seen_at) VALUES ($1, $2, $3)
       ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
);

export const SIGN_OUT = new Statement<never>(
  'batch_export.sign_out_worker',
  'DELETE FROM batch_export_workers WHERE id = $1',
);

export const SIGN_OUT_SILENT = new Statement<never>(
  'batch_export.sign_out_silent_workers',
  'DELETE FROM batch_export_workers WHERE seen_at < $1',
);
