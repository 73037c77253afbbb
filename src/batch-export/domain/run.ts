import type { DataInterval } from './interval';
import { retryAt } from './retry';
import { RunGoesOn, RunHasEnded } from './run-errors';

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

/** A run or backfill in one of these goes on; in any other it has ended. */
export const OPEN_STATUSES: readonly RunStatus[] = ['Starting', 'Running', 'FailedRetryable'];

/** The most attempts of a run that may fail for a reason that could have passed. */
export const MOST_FAILURES = 10;
/** In milliseconds, from the first start of a run to its end. */
export const LONGEST_RUN = 24 * 3_600_000;
/** In milliseconds: a worker that was silent for longer has died. */
export const LONGEST_SILENCE = 30_000;

/** More than this are told as this. */
const MOST_RECORDS = 2 ** 31 - 1;

/** How far an attempt has come. */
export interface RunProgress {
  readonly recordsCompleted: number;
  readonly bytes: number;
  /** The last record that the destination is known to keep, or null. */
  readonly cursor: string | null;
}

/**
 * The export of the data of one interval. It waits in Starting until a worker starts an attempt, which is known by its
 * number: what an attempt writes, it writes only while the run is Running in this very attempt. A run that was
 * cancelled, taken over or started again is lost to the attempts before.
 */
export class Run {
  private status: RunStatus = 'Starting';
  private attempt = 0;
  /** Attempts that ended in a failure that might pass, since the run was made or asked for again. */
  private failures = 0;
  private revision = 0;
  private recordsCompleted: number | null = null;
  private recordsTotalCount: number | null = null;
  private bytes: number | null = null;
  private cursor: string | null = null;
  private latestError: string | null = null;
  private startedAt: Date | null = null;
  private heartbeatAt: Date | null = null;
  private retryAt: Date | null = null;
  private finishedAt: Date | null = null;
  private lastUpdatedAt: Date;
  private queuedAt: Date | null = null;
  private readonly dataIntervalStart: Date;
  private readonly dataIntervalEnd: Date;

  private constructor(
    readonly id: string,
    readonly batchExportId: string,
    readonly backfillId: string | null,
    interval: DataInterval,
    private readonly createdAt: Date,
  ) {
    this.dataIntervalStart = interval.start;
    this.dataIntervalEnd = interval.end;
    this.lastUpdatedAt = createdAt;
  }

  /** A run of the schedule, or of a backfill. */
  static of(
    id: string,
    batchExportId: string,
    backfillId: string | null,
    interval: DataInterval,
    at: Date,
  ): Run {
    return new Run(id, batchExportId, backfillId, interval, at);
  }

  get interval(): DataInterval {
    return { start: this.dataIntervalStart, end: this.dataIntervalEnd };
  }

  get state(): RunStatus {
    return this.status;
  }

  /** The number of the attempt that runs, or was the last to; 0 before the first. */
  get number(): number {
    return this.attempt;
  }

  /** What the attempts before reached, where the next one may go on; null: from the beginning. */
  get reached(): string | null {
    return this.cursor;
  }

  get progress(): RunProgress {
    return { recordsCompleted: this.recordsCompleted ?? 0, bytes: this.bytes ?? 0, cursor: this.cursor };
  }

  get error(): string | null {
    return this.latestError;
  }

  /** When it is tried again, where it waits for that. */
  get retriesAt(): Date | null {
    return this.retryAt;
  }

  get isOpen(): boolean {
    return OPEN_STATUSES.includes(this.status);
  }

  /** Waits for a worker, behind those that wait already. */
  queue(at: Date): void {
    this.status = 'Starting';
    this.queuedAt = at;
    this.retryAt = null;
    this.heartbeatAt = null;
    this.lastUpdatedAt = at;
  }

  /**
   * A worker begins an attempt. It goes on where the last one came to only if the export still is what it was then:
   * another destination, or other records, begin anew.
   * @param revision of the export, as it is now
   * @returns false, having done nothing, when the run does not wait for a worker
   */
  start(revision: number, at: Date): boolean {
    if (this.status !== 'Starting') return false;
    if (revision !== this.revision) this.cursor = null;
    if (this.cursor === null) this.bytes = 0;
    this.revision = revision;
    this.status = 'Running';
    this.attempt += 1;
    this.recordsCompleted = 0;
    this.startedAt ??= at;
    this.heartbeatAt = at;
    this.lastUpdatedAt = at;
    return true;
  }

  complete(progress: RunProgress, at: Date): void {
    this.reach(progress);
    this.end('Completed', null, at);
  }

  /**
   * What failed may pass. It is tried again, each time later, unless it has been tried often enough: then it has failed.
   * @param error in words for people, without secrets
   * @param random from 0, included, to 1, excluded
   */
  failTransiently(error: string, random: number, at: Date): void {
    this.failures += 1;
    if (this.failures >= MOST_FAILURES) this.fail(error, at);
    else this.interrupt(error, retryAt(this.failures, random, at), at);
  }

  /** What failed is ours, not the destination's: it is tried again then, however often. */
  interrupt(error: string, next: Date, at: Date): void {
    this.status = 'FailedRetryable';
    this.latestError = error;
    this.retryAt = next;
    this.heartbeatAt = null;
    this.lastUpdatedAt = at;
  }

  fail(error: string, at: Date): void {
    this.end('Failed', error, at);
  }

  timeOut(error: string, at: Date): void {
    this.end('TimedOut', error, at);
  }

  /** @throws RunHasEnded */
  cancel(at: Date): void {
    if (!this.isOpen) throw new RunHasEnded(this.status);
    this.end('Cancelled', this.latestError, at);
  }

  /**
   * Asks for the same data again, whatever the run came to, from its beginning: the destination may be another one by
   * now. It waits to be queued.
   * @throws RunGoesOn
   */
  retry(at: Date): void {
    if (this.isOpen) throw new RunGoesOn(this.status);
    this.status = 'Starting';
    this.failures = 0;
    this.recordsCompleted = null;
    this.recordsTotalCount = null;
    this.bytes = null;
    this.cursor = null;
    this.startedAt = null;
    this.finishedAt = null;
    this.queuedAt = null;
    this.lastUpdatedAt = at;
  }

  /** Whether the worker that runs it has not been heard of for too long. */
  isSilent(now: Date): boolean {
    if (this.status !== 'Running' || !this.heartbeatAt) return false;
    return now.getTime() - this.heartbeatAt.getTime() > LONGEST_SILENCE;
  }

  /** Whether its first start was too long ago. */
  hasOutstayed(now: Date): boolean {
    return this.isOpen && this.startedAt !== null && now.getTime() - this.startedAt.getTime() > LONGEST_RUN;
  }

  /**
   * Its worker has died. That may have been the run's own doing, so it counts as a failure.
   * @returns whether it is to be queued for another worker; else it has failed
   */
  takeOver(error: string, at: Date): boolean {
    this.failures += 1;
    this.latestError = error;
    if (this.failures >= MOST_FAILURES) this.fail(error, at);
    return this.isOpen;
  }

  private reach({ recordsCompleted, bytes, cursor }: RunProgress): void {
    this.recordsCompleted = Math.min(recordsCompleted, MOST_RECORDS);
    this.bytes = bytes;
    this.cursor = cursor;
  }

  private end(status: RunStatus, error: string | null, at: Date): void {
    this.status = status;
    this.latestError = error;
    this.retryAt = null;
    this.heartbeatAt = null;
    this.queuedAt = null;
    this.finishedAt = at;
    this.lastUpdatedAt = at;
  }
}
