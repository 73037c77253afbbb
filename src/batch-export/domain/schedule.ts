import { boundaryBefore, type DataInterval, type Interval, lengthOf } from './interval';

/** What decides which data intervals an export runs for by itself. */
export interface Schedule {
  readonly interval: Interval;
  /** No interval that ends at this moment or before. */
  readonly startAt: Date | null;
  /** No interval that ends after this moment. */
  readonly endAt: Date | null;
  /** Data before this was given to runs already, or skipped. */
  readonly scheduledUntil: Date;
}

/**
 * The end of the next data interval, which is when it is due; null when there is none any more. It is the interval that
 * holds the moment up to which the schedule has come: so after a change of the interval nothing is left out, and after
 * one to a longer interval something is exported twice.
 */
export function nextRunAt({ interval, startAt, endAt, scheduledUntil }: Schedule): Date | null {
  const from = startAt && startAt > scheduledUntil ? startAt : scheduledUntil;
  const end = new Date(boundaryBefore(interval, from).getTime() + lengthOf(interval));
  // A moment that is later than any calendar's has no next one.
  return Number.isNaN(end.getTime()) || (endAt && end > endAt) ? null : end;
}

/** The data intervals that have ended and were not given to runs, oldest first, at most so many. */
export function dueIntervals(schedule: Schedule, now: Date, most: number): DataInterval[] {
  const length = lengthOf(schedule.interval);
  const due: DataInterval[] = [];
  let next = nextRunAt(schedule);
  while (next && next <= now && due.length < most) {
    due.push({ start: new Date(next.getTime() - length), end: next });
    next = nextRunAt({ ...schedule, scheduledUntil: next });
  }
  return due;
}
