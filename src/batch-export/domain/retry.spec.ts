import { retryAt } from './retry';

const NOW = new Date('2025-03-01T09:30:00Z');
const seconds = (failures: number, random: number) =>
  (retryAt(failures, random, NOW).getTime() - NOW.getTime()) / 1000;

describe('a retry', () => {
  it('waits at most 10 seconds at first, then twice as long each time, up to 10 minutes', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9].map((failures) => seconds(failures, 1))).toEqual([
      10, 20, 40, 80, 160, 320, 600, 600, 600,
    ]);
    expect(seconds(1000, 1)).toBe(600);
  });

  it('waits any part of that', () => {
    expect([0, 0.25, 0.5].map((random) => seconds(3, random))).toEqual([0, 10, 20]);
    expect(seconds(0, 1)).toBe(10);
  });
});
