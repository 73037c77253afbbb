import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { NotFound } from '../../shared/domain/domain-error';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { Backfill, type OpenBackfills, type RunsEnded } from '../domain/backfill';
import { OPEN_STATUSES, Run } from '../domain/run';

/** How many backfills one transaction of a tick changes. */
const BATCH = 100;

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

/** What is queued, or was: a run that waits for its next attempt keeps its place. */
const IN_HAND = `
  SELECT count(*) FROM batch_export_runs h
   WHERE h.backfill_id = b.id AND h.status IN (${OPEN}) AND h.queued_at IS NOT NULL`;

/** What may be queued: the data intervals that have ended. */
const WAITING = `
  FROM batch_export_runs w
 WHERE w.backfill_id = b.id AND w.status = 'Starting' AND w.queued_at IS NULL AND w.data_interval_end <= $1`;

const LOCK_IDLE = new Statement<{ id: string }>(
  'batch_export.lock_idle_backfills',
  `SELECT b.id FROM batch_export_backfills b
    WHERE b.status IN ('Starting', 'Running') AND EXISTS (SELECT ${WAITING}) AND (${IN_HAND}) < $2
    ORDER BY b.created_at, b.id LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
);

const LOCK_ONE = new Statement<{ id: string }>(
  'batch_export.lock_idle_backfill',
  `SELECT b.id FROM batch_export_backfills b
    WHERE b.id = $1 AND b.status IN ('Starting', 'Running') FOR NO KEY UPDATE SKIP LOCKED`,
);

const NEXT_RUNS = new Statement<{ id: string }>(
  'batch_export.next_runs_of_backfills',
  `SELECT next.id FROM unnest($3::uuid[]) AS b (id)
    CROSS JOIN LATERAL (SELECT (${IN_HAND}) AS number) AS in_hand
    CROSS JOIN LATERAL (
      SELECT ordered.id, row_number() OVER () AS place
        FROM (SELECT w.id ${WAITING} ORDER BY w.data_interval_start LIMIT $2) AS ordered) AS next
    WHERE in_hand.number + next.place <= $2`,
);

const BEGIN = new Statement(
  'batch_export.begin_backfills',
  `UPDATE batch_export_backfills SET status = 'Running' WHERE id = ANY($1) AND status = 'Starting'`,
);

const ALL_ENDED = `NOT EXISTS (SELECT FROM batch_export_runs o WHERE o.backfill_id = b.id AND o.status IN (${OPEN}))`;

const LOCK_ENDED = new Statement<{ id: string }>(
  'batch_export.lock_ended_backfills',
  `SELECT b.id FROM batch_export_backfills b WHERE b.status IN ('Starting', 'Running') AND ($1::uuid IS NULL OR b.id = $1) AND ${ALL_ENDED}
    ORDER BY b.created_at, b.id LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED`,
);

const RUNS_ENDED = new Statement<{ id: string } & RunsEnded>(
  'batch_export.runs_of_ended_backfills',
  `SELECT b.id, count(*) FILTER (WHERE r.status = 'Completed')::int AS completed,
          count(*) FILTER (WHERE r.status = 'Cancelled')::int AS cancelled,
          count(*) FILTER (WHERE r.status NOT IN ('Completed', 'Cancelled'))::int AS failed
     FROM unnest($1::uuid[]) AS b (id) JOIN batch_export_runs r ON r.backfill_id = b.id
    WHERE ${ALL_ENDED} GROUP BY b.id`,
);

const CANCEL_OPEN = new Statement(
  'batch_export.cancel_backfills',
  `UPDATE batch_export_backfills SET status = 'Cancelled', finished_at = $2
    WHERE batch_export_id = $1 AND status IN ('Starting', 'Running')`,
);

/** Whoever counts the backfills of a project has others wait that would count them. */
const LOCK_PROJECT = new Statement<never>(
  'batch_export.lock_backfills_of_project',
  "SELECT pg_advisory_xact_lock(hashtext('batch_export.backfills'), $1)",
);

const OPEN_OF_PROJECT = new Statement<OpenBackfills>(
  'batch_export.open_backfills_of_project',
  `SELECT count(*)::int AS backfills,
          coalesce(sum((SELECT count(*) FROM batch_export_runs r
                         WHERE r.backfill_id = b.id AND r.status IN (${OPEN}))), 0)::int AS runs
     FROM batch_exports e JOIN batch_export_backfills b ON b.batch_export_id = e.id
    WHERE e.project_id = $1 AND b.status IN ('Starting', 'Running')`,
);

@Injectable()
export class BackfillRepository {
  constructor(private readonly transaction: Transaction) {}

  async add(backfill: Backfill): Promise<void> {
    await this.transaction.manager.insert(Backfill, { ...backfill });
  }

  /** What goes on in a project; until the transaction ends, nobody else is told. */
  async openOf(projectId: number): Promise<OpenBackfills> {
    await this.transaction.write(LOCK_PROJECT, [projectId]);
    const [open] = await this.transaction.rows(OPEN_OF_PROJECT, [projectId]);
    return open ?? { backfills: 0, runs: 0 };
  }

  /** Locks the backfill until the transaction ends. @throws NotFound when it is another export's */
  async get(batchExportId: string, id: string): Promise<Backfill> {
    const backfill = await this.transaction.manager.findOne(Backfill, {
      where: { id, batchExportId } as object,
      lock: { mode: 'for_no_key_update' },
    });
    if (!backfill) throw new NotFound();
    return backfill;
  }

  async save(...backfills: Backfill[]): Promise<void> {
    await this.transaction.manager.save(Backfill, backfills);
  }

  /**
   * The runs that may be queued so that each backfill has its share, the oldest data first; the backfills have begun
   * then. Locks both until the transaction ends; what others have locked is left to them.
   * @param share how many runs of a backfill may be queued or running
   * @param of one backfill, or null: any that have less than their share
   */
  async nextRuns(share: number, of: string | null, now: Date): Promise<Run[]> {
    const locked = await (of === null
      ? this.transaction.rows(LOCK_IDLE, [now, share])
      : this.transaction.rows(LOCK_ONE, [of]));
    if (locked.length === 0) return [];
    // In a statement after that of the lock, which sees what others have queued before.
    const next = await this.transaction.rows(NEXT_RUNS, [now, share, locked.map(({ id }) => id)]);
    if (next.length === 0) return [];
    const runs = await this.transaction.manager.find(Run, {
      where: { id: In(next.map(({ id }) => id)), status: 'Starting' } as object,
      order: { dataIntervalStart: 'ASC' } as object,
      lock: { mode: 'for_no_key_update', onLocked: 'skip_locked' },
    });
    await this.transaction.rows(BEGIN, [runs.map(({ backfillId }) => backfillId)]);
    return runs;
  }

  /**
   * Some that go on though their runs have all ended, with what those came to. Locks them until the transaction ends.
   * @param of one backfill, or null: any
   */
  async ended(of: string | null): Promise<[Backfill, RunsEnded][]> {
    const locked = await this.transaction.rows(LOCK_ENDED, [of]);
    if (locked.length === 0) return [];
    // In a statement after that of the lock: a run may have been asked for again meanwhile.
    const rows = await this.transaction.rows(RUNS_ENDED, [locked.map(({ id }) => id)]);
    const ended = new Map(rows.map((row) => [row.id, row]));
    const where = { id: In([...ended.keys()]) } as object;
    const backfills = await this.transaction.manager.find(Backfill, { where });
    return backfills.flatMap((backfill): [Backfill, RunsEnded][] => {
      const runs = ended.get(backfill.id);
      return runs ? [[backfill, runs]] : [];
    });
  }

  /** Ends every backfill of an export that goes on (BE-28). */
  async cancelOpen(batchExportId: string, at: Date): Promise<void> {
    await this.transaction.rows(CANCEL_OPEN, [batchExportId, at]);
  }
}
