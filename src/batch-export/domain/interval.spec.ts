import {
  boundaryAfter,
  boundaryBefore,
  countBetween,
  INTERVALS,
  type Interval,
  intervalsBetween,
  lengthOf,
} from './interval';

const moment = (text: string) => new Date(text);

describe('Interval', () => {
  it('is one of four, of these lengths (BE-07)', () => {
    expect(INTERVALS.map((interval) => [interval, lengthOf(interval) / 60_000])).toEqual([
      ['hour', 60],
      ['day', 24 * 60],
      ['week', 7 * 24 * 60],
      ['every 5 minutes', 5],
    ]);
  });

  it.each<[Interval, string, string, string]>([
    ['hour', '2025-03-01T09:30:00Z', '2025-03-01T09:00:00Z', '2025-03-01T10:00:00Z'],
    ['hour', '2025-03-01T09:00:00Z', '2025-03-01T09:00:00Z', '2025-03-01T09:00:00Z'],
    ['day', '2025-03-01T00:00:00.001Z', '2025-03-01T00:00:00Z', '2025-03-02T00:00:00Z'],
    ['week', '2025-03-02T23:59:59Z', '2025-02-24T00:00:00Z', '2025-03-03T00:00:00Z'],
    ['week', '2025-03-03T00:00:00Z', '2025-03-03T00:00:00Z', '2025-03-03T00:00:00Z'],
    ['every 5 minutes', '2025-03-01T09:34:59Z', '2025-03-01T09:30:00Z', '2025-03-01T09:35:00Z'],
    ['week', '0001-01-03T00:00:00Z', '0001-01-01T00:00:00Z', '0001-01-08T00:00:00Z'],
  ])('of a %s has boundaries by UTC around %s, weeks on Mondays', (interval, at, before, after) => {
    expect(boundaryBefore(interval, moment(at))).toEqual(moment(before));
    expect(boundaryAfter(interval, moment(at))).toEqual(moment(after));
  });

  it('divides what lies between two boundaries, without gap or overlap', () => {
    const [start, end] = [moment('2025-03-29T22:00:00Z'), moment('2025-03-30T02:00:00Z')];
    const hours = intervalsBetween('hour', start, end);
    expect(countBetween('hour', start, end)).toBe(4);
    expect(hours.map((hour) => hour.start.toISOString().slice(11, 16))).toEqual([
      '22:00',
      '23:00',
      '00:00',
      '01:00',
    ]);
    expect(hours.slice(1).map((hour) => hour.start)).toEqual(hours.slice(0, -1).map((hour) => hour.end));
    expect(hours.at(-1)?.end).toEqual(end);
    expect(countBetween('hour', end, start)).toBe(0);
  });
});
