const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How often an export runs, which is also how much data a run exports, in milliseconds (BE-07). */
const LENGTHS = { hour: HOUR, day: DAY, week: 7 * DAY, 'every 5 minutes': 5 * MINUTE } as const;

export type Interval = keyof typeof LENGTHS;
export const INTERVALS = Object.keys(LENGTHS) as readonly Interval[];

/** The data of one run: from `start`, included, to `end`, excluded. */
export interface DataInterval {
  readonly start: Date;
  readonly end: Date;
}

/** A Monday, so that weeks begin on Mondays; hours, days and weeks begin by UTC. */
const FIRST_BOUNDARY = Date.UTC(1970, 0, 5);

/** In milliseconds. */
export const lengthOf = (interval: Interval): number => LENGTHS[interval];

/** The boundary at or before a moment. */
export function boundaryBefore(interval: Interval, moment: Date): Date {
  const length = LENGTHS[interval];
  return new Date(FIRST_BOUNDARY + Math.floor((moment.getTime() - FIRST_BOUNDARY) / length) * length);
}

/** The boundary at or after a moment. */
export function boundaryAfter(interval: Interval, moment: Date): Date {
  const length = LENGTHS[interval];
  return new Date(FIRST_BOUNDARY + Math.ceil((moment.getTime() - FIRST_BOUNDARY) / length) * length);
}

/** How many data intervals lie between two boundaries; 0 when the second is not after the first. */
export const countBetween = (interval: Interval, start: Date, end: Date): number =>
  Math.max(0, (end.getTime() - start.getTime()) / LENGTHS[interval]);

/** The data intervals between two boundaries, oldest first. */
export function intervalsBetween(interval: Interval, start: Date, end: Date): DataInterval[] {
  const boundary = (number: number) => new Date(start.getTime() + number * LENGTHS[interval]);
  return Array.from({ length: countBetween(interval, start, end) }, (_, number) => ({
    start: boundary(number),
    end: boundary(number + 1),
  }));
}
