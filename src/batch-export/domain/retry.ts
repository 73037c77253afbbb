/** In milliseconds: how long the first retry waits at most; each further one twice as long, up to the longest. */
const FIRST = 10_000;
const LONGEST = 600_000;

/**
 * When an attempt that failed is made again: at a random moment of the time that it may wait, so that what failed
 * together does not come back together.
 * @param failures how many attempts have failed by now
 * @param random from 0, included, to 1, excluded
 */
export function retryAt(failures: number, random: number, now: Date): Date {
  const most = Math.min(LONGEST, FIRST * 2 ** Math.max(0, failures - 1));
  return new Date(now.getTime() + Math.round(most * random));
}
