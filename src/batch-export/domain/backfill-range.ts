import type { BackfillBounds } from './backfill';
import {
  BackfillEndsBeforeStart,
  BackfillEndsTooLate,
  BackfillHasNoData,
  BackfillHasNoEnd,
  NoDataToBackfill,
  NothingToBackfill,
} from './batch-export-errors';
import { boundaryAfter, boundaryBefore, type DataInterval, lengthOf } from './interval';
import type { Schedule } from './schedule';

/** What decides how far a backfill may reach. */
export interface BackfillLimits extends Pick<Schedule, 'interval'> {
  /** Whether the destination takes backfills without an end (BE-33). */
  readonly openEnded: boolean;
  /** When the first record of the model arrived; null when there is none. */
  readonly earliest: Date | null;
  readonly now: Date;
}

/**
 * From the first boundary to the last. The bounds are rounded outwards to whole data intervals, and begin with the one
 * that holds the earliest data; without an end they reach to the last interval that has ended.
 * @throws Invalid for bounds that are none (BE-31..BE-33), and where there is no data (BE-34)
 */
export function requestedRange(
  { startAt, endAt }: BackfillBounds,
  { interval, openEnded, earliest, now }: BackfillLimits,
): DataInterval {
  if (!endAt && !openEnded) throw new BackfillHasNoEnd();
  if (startAt && endAt && startAt >= endAt) throw new BackfillEndsBeforeStart();
  if (endAt && endAt.getTime() > now.getTime() + lengthOf(interval)) throw new BackfillEndsTooLate(endAt);
  if (!earliest) throw new NoDataToBackfill();
  const first = boundaryBefore(interval, earliest);
  const end = endAt ? boundaryAfter(interval, endAt) : boundaryBefore(interval, now);
  if (endAt && end <= first) throw new BackfillHasNoData(first);
  const start = startAt && startAt > first ? boundaryBefore(interval, startAt) : first;
  if (start >= end) throw new NothingToBackfill(start, end);
  return { start, end };
}

/** What is known of a pause. */
export interface Pause {
  readonly lastPausedAt: Date | null;
  /** Where the data begins whose runs the pause cancelled; null when it cancelled none. */
  readonly missedFrom: Date | null;
}

/**
 * The data whose scheduled runs a pause kept from happening, or cancelled; null when there is none. The interval that
 * is open now will run on schedule.
 */
export function missedRange(
  { interval, startAt, endAt, scheduledUntil }: Schedule,
  { lastPausedAt, missedFrom }: Pause,
  now: Date,
): DataInterval | null {
  const begun = [scheduledUntil, lastPausedAt, missedFrom].flatMap((moment) =>
    moment ? [boundaryBefore(interval, moment).getTime()] : [],
  );
  const earliest = startAt ? boundaryBefore(interval, startAt).getTime() : Number.NEGATIVE_INFINITY;
  const latest = endAt && endAt < now ? endAt : now;
  const start = new Date(Math.max(earliest, Math.min(...begun)));
  const end = boundaryBefore(interval, latest);
  return start < end ? { start, end } : null;
}
