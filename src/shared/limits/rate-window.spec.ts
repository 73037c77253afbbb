import { bucketOf, type RateWindow, standing } from './rate-window';

const MINUTE: RateWindow = { seconds: 60, limit: 10, bucket: 5 };

describe('A rate window', () => {
  it('counts in buckets', () => {
    expect([0, 4.9, 5, 61].map((now) => bucketOf(MINUTE, now))).toEqual([0, 0, 5, 60]);
  });

  it('lets a caller begin with the whole limit', () => {
    expect(standing(MINUTE, new Map(), 100)).toEqual({ window: MINUTE, remaining: 10, reset: 65 });
  });

  it('counts a bucket until its last request is older than the window', () => {
    const counts = new Map([[0, 10]]);
    expect(standing(MINUTE, counts, 4).remaining).toBe(0);
    expect(standing(MINUTE, counts, 64.9).remaining).toBe(0);
    expect(standing(MINUTE, counts, 65).remaining).toBe(10);
  });

  it('slides: what leaves makes room, one bucket after the other', () => {
    const counts = new Map([
      [0, 6],
      [30, 4],
    ]);
    expect(standing(MINUTE, counts, 50)).toMatchObject({ remaining: 0, reset: 15 });
    expect(standing(MINUTE, counts, 65)).toMatchObject({ remaining: 6, reset: 30 });
    expect(standing(MINUTE, counts, 95)).toMatchObject({ remaining: 10 });
  });

  it('never says less than nothing remains, nor less than a second', () => {
    expect(standing(MINUTE, new Map([[0, 50]]), 64.99)).toMatchObject({ remaining: 0, reset: 1 });
  });
});
