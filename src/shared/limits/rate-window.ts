/** So many requests in so many seconds, counted in buckets of `bucket` seconds. */
export interface RateWindow {
  readonly seconds: number;
  readonly limit: number;
  readonly bucket: number;
}

/** The beginning of the bucket that a moment is in; in seconds, like every time here. */
export const bucketOf = ({ bucket }: RateWindow, now: number): number => Math.floor(now / bucket) * bucket;

/** Requests by the beginning of their bucket. */
export type Counts = ReadonlyMap<number, number>;

/** What a window says of one more request. */
export interface Standing {
  readonly window: RateWindow;
  /** How many more requests there may be now. */
  readonly remaining: number;
  /** In how many seconds, at least 1, the oldest counted requests leave the window. */
  readonly reset: number;
}

/**
 * Where a caller stands. The window slides: a bucket counts until all of its requests are older than the window, so
 * that no span of its length ever has more than `limit`.
 */
export function standing(window: RateWindow, counts: Counts, now: number): Standing {
  const live = [...counts].filter(([start]) => start + window.bucket + window.seconds > now);
  const used = live.reduce((sum, [, count]) => sum + count, 0);
  const oldest = live.length === 0 ? now : Math.min(...live.map(([start]) => start));
  return {
    window,
    remaining: Math.max(0, window.limit - used),
    reset: Math.max(1, Math.ceil(oldest + window.bucket + window.seconds - now)),
  };
}
