import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { Interval } from '../domain/interval';
import type { Schedule } from '../domain/schedule';

interface DueRow {
  readonly id: string;
  readonly interval: Interval;
  readonly start_at: Date | null;
  readonly end_at: Date | null;
  readonly scheduled_until: Date;
}

const DUE = new Statement<DueRow>(
  'batch_export.due',
  `SELECT id, batch_exports.interval, start_at, end_at, scheduled_until FROM batch_exports
    WHERE NOT paused AND NOT deleted AND next_run_at IS NOT NULL AND next_run_at <= $1
    ORDER BY next_run_at, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED`,
);

const ADVANCE = new Statement(
  'batch_export.advance_schedules',
  `UPDATE batch_exports e SET scheduled_until = advanced.scheduled_until, next_run_at = advanced.next_run_at
     FROM unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) AS advanced (id, scheduled_until, next_run_at)
    WHERE e.id = advanced.id`,
);

/** Since when the oldest data interval of a schedule waits to be exported. */
const LATE_SINCE = new Statement<{ since: Date | null }>(
  'batch_export.late_since',
  `SELECT least(
     (SELECT next_run_at FROM batch_exports
       WHERE NOT paused AND NOT deleted AND next_run_at IS NOT NULL ORDER BY next_run_at LIMIT 1),
     (SELECT data_interval_end FROM batch_export_runs
       WHERE status IN ('Starting', 'Running', 'FailedRetryable') AND backfill_id IS NULL
       ORDER BY data_interval_end LIMIT 1)) AS since`,
);

/** An export whose next data interval has ended. */
export interface DueExport extends Schedule {
  readonly id: string;
}

/** How far the schedule of an export has come. */
export interface ScheduleMark {
  readonly id: string;
  readonly scheduledUntil: Date;
  readonly nextRunAt: Date | null;
}

@Injectable()
export class ScheduleRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Locks them until the transaction ends, longest due first; those that others have locked are left out. */
  async due(now: Date, most: number): Promise<DueExport[]> {
    const rows = await this.transaction.rows(DUE, [now, most]);
    return rows.map(({ id, interval, start_at, end_at, scheduled_until }) => ({
      id,
      interval,
      startAt: start_at,
      endAt: end_at,
      scheduledUntil: scheduled_until,
    }));
  }

  async advance(marks: readonly ScheduleMark[]): Promise<void> {
    await this.transaction.rows(ADVANCE, [
      marks.map(({ id }) => id),
      marks.map(({ scheduledUntil }) => scheduledUntil),
      marks.map(({ nextRunAt }) => nextRunAt),
    ]);
  }

  /** The end of the oldest data interval of a schedule that is not exported yet, or is to come. */
  async lateSince(): Promise<Date | null> {
    const [row] = await this.transaction.rows(LATE_SINCE, []);
    return row?.since ?? null;
  }
}
