import { INTERVALS } from './interval';
import { dueIntervals, nextRunAt, type Schedule } from './schedule';

const at = (text: string) => new Date(text);
const schedule = (details: Partial<Schedule> = {}): Schedule => ({
  interval: 'hour',
  startAt: null,
  endAt: null,
  scheduledUntil: at('2025-03-01T09:30:00Z'),
  ...details,
});
const next = (details: Partial<Schedule> = {}) => nextRunAt(schedule(details))?.toISOString() ?? null;
const due = (now: string, details: Partial<Schedule> = {}, most = 1000) =>
  dueIntervals(schedule(details), at(now), most).map(({ start, end }) =>
    [start, end].map((moment) => moment.toISOString().slice(5, 16)),
  );

describe('the schedule', () => {
  it('begins with the interval that was open when the export was made', () => {
    expect(INTERVALS.map((interval) => next({ interval }))).toEqual([
      '2025-03-01T10:00:00.000Z',
      '2025-03-02T00:00:00.000Z',
      // The Monday after that Saturday.
      '2025-03-03T00:00:00.000Z',
      '2025-03-01T09:35:00.000Z',
    ]);
  });

  it('of one made on a boundary begins with the interval that begins there', () => {
    expect(next({ scheduledUntil: at('2025-03-01T10:00:00Z') })).toBe('2025-03-01T11:00:00.000Z');
    expect(next({ scheduledUntil: at('2025-03-01T09:59:59.999Z') })).toBe('2025-03-01T10:00:00.000Z');
    expect(next({ interval: 'week', scheduledUntil: at('2025-03-03T00:00:00Z') })).toBe(
      '2025-03-10T00:00:00.000Z',
    );
    expect(next({ interval: 'every 5 minutes', scheduledUntil: at('2025-03-01T23:55:00Z') })).toBe(
      '2025-03-02T00:00:00.000Z',
    );
  });

  it('has no interval that ends at start_at, or before', () => {
    expect(next({ startAt: at('2025-03-04T10:00:00Z') })).toBe('2025-03-04T11:00:00.000Z');
    expect(next({ startAt: at('2025-03-04T09:59:59Z') })).toBe('2025-03-04T10:00:00.000Z');
    expect(next({ startAt: at('2020-01-01T00:00:00Z') })).toBe('2025-03-01T10:00:00.000Z');
    // Nothing was scheduled before the start, so an earlier one is as if it had always been that.
    expect(next({ startAt: null })).toBe('2025-03-01T10:00:00.000Z');
  });

  it('has no interval that ends after end_at', () => {
    expect(next({ endAt: at('2025-03-01T10:00:00Z') })).toBe('2025-03-01T10:00:00.000Z');
    expect(next({ endAt: at('2025-03-01T09:59:59Z') })).toBeNull();
    expect(next({ startAt: at('2025-03-04T10:00:00Z'), endAt: at('2025-03-04T10:30:00Z') })).toBeNull();
    const reached = { endAt: at('2025-03-01T11:00:00Z') };
    expect(due('2025-03-01T20:00:00Z', reached)).toEqual([
      ['03-01T09:00', '03-01T10:00'],
      ['03-01T10:00', '03-01T11:00'],
    ]);
    // A later end goes on where the schedule has come to.
    expect(next({ endAt: at('2025-03-02T00:00:00Z'), scheduledUntil: at('2025-03-01T11:00:00Z') })).toBe(
      '2025-03-01T12:00:00.000Z',
    );
  });

  it('is due when an interval has ended, not a millisecond before', () => {
    expect(due('2025-03-01T09:59:59.999Z')).toEqual([]);
    expect(due('2025-03-01T10:00:00.000Z')).toEqual([['03-01T09:00', '03-01T10:00']]);
  });

  it('catches up in order after hours of standstill, as much at a time as is asked for', () => {
    const all = due('2025-03-02T03:10:00Z');
    expect(all).toHaveLength(18);
    expect(all[0]).toEqual(['03-01T09:00', '03-01T10:00']);
    expect(all[17]).toEqual(['03-02T02:00', '03-02T03:00']);
    expect(due('2025-03-02T03:10:00Z', {}, 2)).toEqual(all.slice(0, 2));
    expect(due('2025-03-02T03:10:00Z', { scheduledUntil: at('2025-03-01T11:00:00Z') }, 2)).toEqual(
      all.slice(2, 4),
    );
  });

  it('goes on from where it has come to when the interval changes, and leaves nothing out', () => {
    const scheduledUntil = at('2025-03-01T15:00:00Z');
    expect(due('2025-03-02T00:00:00Z', { interval: 'day', scheduledUntil })).toEqual([
      ['03-01T00:00', '03-02T00:00'],
    ]);
    expect(due('2025-03-01T15:12:00Z', { interval: 'every 5 minutes', scheduledUntil })).toEqual([
      ['03-01T15:00', '03-01T15:05'],
      ['03-01T15:05', '03-01T15:10'],
    ]);
    const daily = at('2025-03-02T00:00:00Z');
    expect(due('2025-03-02T02:30:00Z', { interval: 'hour', scheduledUntil: daily })).toEqual([
      ['03-02T00:00', '03-02T01:00'],
      ['03-02T01:00', '03-02T02:00'],
    ]);
    expect(next({ interval: 'week', scheduledUntil: daily })).toBe('2025-03-03T00:00:00.000Z');
  });

  it('knows no summer time: a day has 24 hours by UTC', () => {
    // The nights in which clocks change in Europe, and in America.
    for (const day of ['2025-03-30', '2025-10-26', '2025-03-09', '2025-11-02']) {
      const [[start, end] = []] = due(`${day}T23:59:59Z`, {
        scheduledUntil: at(`${day}T00:00:00Z`),
        interval: 'hour',
      });
      expect([start, end]).toEqual([`${day.slice(5)}T00:00`, `${day.slice(5)}T01:00`]);
      expect(due(`${day}T23:59:59Z`, { scheduledUntil: at(`${day}T00:00:00Z`) })).toHaveLength(23);
    }
  });

  it('ends with the calendar', () => {
    expect(next({ startAt: new Date(8.64e15) })).toBeNull();
  });
});
