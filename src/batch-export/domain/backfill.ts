import { BackfillTooLarge, TooManyBackfillRuns, TooManyBackfills } from './batch-export-errors';
import { countBetween, type DataInterval, type Interval, intervalsBetween } from './interval';
import { OPEN_STATUSES, type RunStatus } from './run';
import { BackfillHasEnded } from './run-errors';

/** The most runs that one backfill may have. */
export const MOST_RUNS = 10_000;
/** The most backfills of a project that may go on at once. */
export const MOST_OPEN_BACKFILLS = 100;
/** The most runs that those backfills may have left together. */
export const MOST_OPEN_RUNS = 30_000;

/** What to export again; without a start from the beginning, without an end up to now. */
export interface BackfillBounds {
  readonly startAt: Date | null;
  readonly endAt: Date | null;
}

/** What the runs of a backfill have come to, when none goes on; a run that timed out has failed. */
export interface RunsEnded {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** What goes on of the backfills of a project, and how many runs of theirs have not ended. */
export interface OpenBackfills {
  readonly backfills: number;
  readonly runs: number;
}

/** A request to export past data again, as one run for each data interval in its bounds. */
export class Backfill {
  private readonly startAt: Date | null;
  private readonly endAt: Date | null;
  private status: RunStatus = 'Starting';
  private readonly totalRuns: number;
  private finishedAt: Date | null = null;

  private constructor(
    readonly id: string,
    readonly batchExportId: string,
    bounds: BackfillBounds,
    /** From the first boundary to the last. */
    readonly range: DataInterval,
    /** What its runs export; each run is a row of its own. */
    readonly intervals: readonly DataInterval[],
    readonly createdAt: Date,
  ) {
    this.startAt = bounds.startAt;
    this.endAt = bounds.endAt;
    this.totalRuns = intervals.length;
  }

  /**
   * A backfill of the data between two boundaries of the interval.
   * @throws BackfillTooLarge, before anything is made of the range
   */
  static of(
    id: string,
    batchExportId: string,
    bounds: BackfillBounds,
    interval: Interval,
    range: DataInterval,
    at: Date,
  ): Backfill {
    const runs = countBetween(interval, range.start, range.end);
    if (runs > MOST_RUNS) throw new BackfillTooLarge(runs, MOST_RUNS);
    const intervals = intervalsBetween(interval, range.start, range.end);
    return new Backfill(id, batchExportId, bounds, range, intervals, at);
  }

  /** Goes on beside the others of its project. @throws TooManyBackfills, TooManyBackfillRuns */
  join({ backfills, runs }: OpenBackfills): void {
    if (backfills >= MOST_OPEN_BACKFILLS) throw new TooManyBackfills(MOST_OPEN_BACKFILLS);
    if (runs + this.totalRuns > MOST_OPEN_RUNS) {
      throw new TooManyBackfillRuns(this.totalRuns, runs, MOST_OPEN_RUNS);
    }
  }

  get isOpen(): boolean {
    return OPEN_STATUSES.includes(this.status);
  }

  /** A run of it is on its way, the first one or one that was asked for again. */
  resume(): void {
    this.status = 'Running';
    this.finishedAt = null;
  }

  /** Its runs are cancelled with it. @throws BackfillHasEnded */
  cancel(at: Date): void {
    if (!this.isOpen) throw new BackfillHasEnded(this.status);
    this.status = 'Cancelled';
    this.finishedAt = at;
  }

  /** All its runs have ended: it has come to the worst that one of them has. */
  finish(ended: RunsEnded, at: Date): void {
    this.status = ended.failed > 0 ? 'Failed' : ended.cancelled > 0 ? 'Cancelled' : 'Completed';
    this.finishedAt = at;
  }
}
