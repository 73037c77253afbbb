import { Invalid } from '../../shared/domain/domain-error';
import type { BackfillBounds } from './backfill';
import { BatchExport, type NewBatchExport, type Vault } from './batch-export';

/** Seals by writing backwards, and knows whose it was. */
const vault: Vault = {
  seal: (text, context) => Buffer.from(JSON.stringify([context, text])),
  open: (sealed, context) => {
    const [owner, text] = JSON.parse(sealed.toString()) as [string, string];
    if (owner !== context) throw new Error('sealed for another');
    return text;
  },
};

const at = (text: string) => new Date(text);
const NOW = at('2025-03-01T09:30:00Z');
const LATER = at('2025-03-01T12:10:00Z');
const PLACE = { organizationId: 'organization', projectId: 1 };

const anExport = (details: Partial<NewBatchExport> = {}) =>
  BatchExport.schedule(
    'id',
    PLACE,
    { name: 'Export', interval: 'hour', destination: { type: 'NoOp' }, ...details },
    vault,
    NOW,
  );

/** What it holds, as the mapping sees it. */
const stateOf = (batchExport: BatchExport) => ({ ...batchExport }) as unknown as Record<string, unknown>;

const detailOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Invalid) return `${error.attr}: ${error.message}`;
    throw error;
  }
  return 'nothing was refused';
};

describe('BatchExport', () => {
  it('starts out unpaused, of events, without times (BE-09)', () => {
    expect(stateOf(anExport({ model: null }))).toMatchObject({
      model: 'events',
      paused: false,
      lastPausedAt: null,
      startAt: null,
      endAt: null,
      hogqlQuery: null,
      deleted: false,
      createdAt: NOW,
      lastUpdatedAt: NOW,
    });
  });

  it('has a query of events alone, with what it compiles to', () => {
    const query = { hogqlQuery: 'SELECT event FROM events', schema: { fields: [] } };
    const batchExport = anExport(query);
    batchExport.change({ name: 'Renamed' }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject(query);
    const refusal = "hogql_query: A query can only be given for the model 'events'.";
    expect(detailOf(() => batchExport.change({ model: 'persons' }, vault, LATER))).toBe(refusal);
    expect(detailOf(() => anExport({ model: 'persons', ...query }))).toBe(refusal);
    const queried = anExport(query);
    queried.change({ hogqlQuery: null }, vault, LATER);
    expect(stateOf(queried)).toMatchObject({ hogqlQuery: null, schema: null });
  });

  it('keeps its secrets apart, sealed for itself; without any it keeps nothing', () => {
    const config = { url: 'https://example.com', token: 't0ken' };
    const batchExport = anExport({ destination: { type: 'HTTP', config } });
    const { destinationConfig, destinationSecrets } = stateOf(batchExport);
    expect(destinationConfig).toEqual({ url: config.url });
    expect(String(destinationSecrets)).toBe('["id","{\\"token\\":\\"t0ken\\"}"]');
    batchExport.change({ destination: { type: 'NoOp' } }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject({ destinationConfig: {}, destinationSecrets: null });
  });

  it('changes what is given, clears what is null and leaves the rest', () => {
    const batchExport = anExport({ startAt: NOW, endAt: LATER, hogqlQuery: 'SELECT 1' });
    batchExport.change({ name: 'Other', endAt: null }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject({
      name: 'Other',
      model: 'events',
      interval: 'hour',
      startAt: NOW,
      endAt: null,
      hogqlQuery: 'SELECT 1',
      createdAt: NOW,
      lastUpdatedAt: LATER,
    });
    batchExport.change({ model: 'persons', hogqlQuery: null }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject({ model: 'persons', hogqlQuery: null });
    batchExport.change({ model: null }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject({ model: 'events' });
  });

  it('does not end before it starts, whichever is changed', () => {
    const refusal = "end_at: 'end_at' must not be before 'start_at'.";
    expect(detailOf(() => anExport({ startAt: LATER, endAt: NOW }))).toBe(refusal);
    const batchExport = anExport({ startAt: NOW });
    expect(detailOf(() => batchExport.change({ endAt: at('2025-03-01T09:29:59Z') }, vault, NOW))).toBe(
      refusal,
    );
    expect(detailOf(() => anExport({ startAt: NOW, endAt: NOW }))).toBe('nothing was refused');
  });

  it('pauses and unpauses once; setting the flag is no pause (BE-27, BE-29)', () => {
    const batchExport = anExport();
    batchExport.unpause(LATER);
    expect(stateOf(batchExport).lastUpdatedAt).toBe(NOW);
    batchExport.pause(LATER);
    batchExport.pause(at('2026-01-01T00:00:00Z'));
    expect(stateOf(batchExport)).toMatchObject({ paused: true, lastPausedAt: LATER, lastUpdatedAt: LATER });
    batchExport.unpause(LATER);
    expect(stateOf(batchExport)).toMatchObject({ paused: false, lastPausedAt: LATER });
    batchExport.change({ paused: true }, vault, NOW);
    expect(stateOf(batchExport)).toMatchObject({ paused: true, lastPausedAt: LATER });
  });

  it('counts the changes of what is exported and where to, and no others', () => {
    const batchExport = anExport();
    const { version } = batchExport;
    batchExport.change({ name: 'Other', interval: 'day', paused: true, endAt: null }, vault, LATER);
    expect(batchExport.version).toBe(version);
    for (const details of [
      { hogqlQuery: 'x' },
      { hogqlQuery: null, model: 'persons' as const },
      { destination: { config: {} } },
    ]) {
      const before = batchExport.version;
      batchExport.change(details, vault, LATER);
      expect(batchExport.version).toBe(before + 1);
    }
  });

  describe('its schedule', () => {
    const next = (batchExport: BatchExport) => {
      const { nextRunAt } = stateOf(batchExport) as { nextRunAt: Date | null };
      return nextRunAt?.toISOString() ?? null;
    };

    it('begins with the interval that is open when it is made, or with the one that holds start_at', () => {
      expect(next(anExport())).toBe('2025-03-01T10:00:00.000Z');
      expect(next(anExport({ interval: 'week' }))).toBe('2025-03-03T00:00:00.000Z');
      expect(next(anExport({ startAt: at('2025-04-01T10:30:00Z') }))).toBe('2025-04-01T11:00:00.000Z');
      expect(next(anExport({ startAt: at('2020-01-01T00:00:00Z') }))).toBe('2025-03-01T10:00:00.000Z');
      expect(next(anExport({ endAt: NOW }))).toBeNull();
      expect(next(anExport({ paused: true }))).toBe('2025-03-01T10:00:00.000Z');
    });

    it('follows start_at, end_at and interval as they change', () => {
      const batchExport = anExport({ startAt: at('2025-04-01T10:30:00Z') });
      batchExport.change({ startAt: at('2025-03-02T00:00:00Z') }, vault, LATER);
      expect(next(batchExport)).toBe('2025-03-02T01:00:00.000Z');
      batchExport.change({ startAt: null }, vault, LATER);
      expect(next(batchExport)).toBe('2025-03-01T10:00:00.000Z');
      batchExport.change({ endAt: at('2025-03-01T09:59:00Z') }, vault, LATER);
      expect(next(batchExport)).toBeNull();
      batchExport.change({ endAt: at('2025-03-01T10:00:00Z') }, vault, LATER);
      expect(next(batchExport)).toBe('2025-03-01T10:00:00.000Z');
      batchExport.change({ endAt: null, interval: 'day' }, vault, LATER);
      expect(next(batchExport)).toBe('2025-03-02T00:00:00.000Z');
      batchExport.change({ interval: 'every 5 minutes' }, vault, LATER);
      expect(next(batchExport)).toBe('2025-03-01T09:35:00.000Z');
    });

    it('keeps its place through a pause, and goes on after it with the interval that is open', () => {
      const paused = () => {
        const batchExport = anExport();
        batchExport.pause(NOW);
        return batchExport;
      };
      const one = paused();
      expect(next(one)).toBe('2025-03-01T10:00:00.000Z');
      one.unpause(LATER);
      expect(next(one)).toBe('2025-03-01T13:00:00.000Z');
      const other = paused();
      other.change({ paused: false }, vault, LATER);
      expect(next(other)).toBe('2025-03-01T13:00:00.000Z');
      const short = paused();
      short.unpause(at('2025-03-01T09:59:59Z'));
      expect(next(short)).toBe('2025-03-01T10:00:00.000Z');
      const unpaused = anExport();
      unpaused.change({ paused: false }, vault, LATER);
      expect(next(unpaused)).toBe('2025-03-01T10:00:00.000Z');
    });
  });

  it('is paused when ten runs in a row have failed; one that completes, or the end of a pause, counts anew', () => {
    const batchExport = anExport();
    const fail = (times: number) => Array.from({ length: times }, () => batchExport.runFailed(LATER));
    expect(fail(9)).toEqual(Array(9).fill(false));
    expect(batchExport.runCompleted()).toBe(true);
    expect(batchExport.runCompleted()).toBe(false);
    expect(fail(10)).toEqual([...Array(9).fill(false), true]);
    expect(stateOf(batchExport)).toMatchObject({ paused: true, lastPausedAt: LATER, failuresInARow: 0 });
    fail(9);
    batchExport.unpause(LATER);
    expect(fail(10).filter(Boolean)).toHaveLength(1);
  });

  describe('backfills', () => {
    const EARLIEST = at('2024-01-01T00:00:00Z');
    const bounds = (startAt: string | null, endAt: string | null): BackfillBounds => ({
      startAt: startAt === null ? null : at(startAt),
      endAt: endAt === null ? null : at(endAt),
    });
    const S3 = { type: 'S3', config: { bucket_name: 'b', region: 'r', prefix: '' } } as const;
    const backfill = (
      batchExport: BatchExport,
      start: string | null,
      end: string | null,
      earliest: Date | null = EARLIEST,
    ) => batchExport.backfill('backfill', bounds(start, end), earliest, NOW);

    it('what lies in the bounds, rounded outwards', () => {
      const { intervals, range } = backfill(anExport(), '2025-02-01T10:20:00Z', '2025-02-01T12:00:01Z');
      expect(intervals).toHaveLength(3);
      expect(range).toEqual({ start: at('2025-02-01T10:00:00Z'), end: at('2025-02-01T13:00:00Z') });
      const week = backfill(anExport({ interval: 'week' }), '2025-02-05T00:00:00Z', '2025-02-06T00:00:00Z');
      expect(week.intervals).toEqual([
        { start: at('2025-02-03T00:00:00Z'), end: at('2025-02-10T00:00:00Z') },
      ]);
    });

    it('from the earliest data without a start, to the last interval that has ended without an end (BE-33)', () => {
      const all = backfill(anExport({ interval: 'day' }), null, null, at('2025-02-27T23:15:00Z'));
      expect(all.range).toEqual({ start: at('2025-02-27T00:00:00Z'), end: at('2025-03-01T00:00:00Z') });
      expect(stateOf(all as never)).toMatchObject({
        startAt: null,
        endAt: null,
        totalRuns: 2,
        status: 'Starting',
      });
      expect(detailOf(() => backfill(anExport({ destination: S3 }), null, null))).toBe(
        'null: Backfilling a BatchExport with no end date is not allowed',
      );
      expect(detailOf(() => backfill(anExport(), '2025-03-01T09:00:00Z', null))).toBe(
        'null: There is nothing to backfill: no data interval lies between 2025-03-01T09:00:00+00:00 and ' +
          '2025-03-01T09:00:00+00:00.',
      );
    });

    it('what has data, from the interval that holds the earliest (BE-34)', () => {
      const daily = anExport({ interval: 'day' });
      const earliest = at('2025-02-20T05:00:00Z');
      const clamped = backfill(daily, '2021-01-01T00:00:00Z', '2025-02-22T00:00:00Z', earliest);
      expect(clamped.range).toEqual({ start: at('2025-02-20T00:00:00Z'), end: at('2025-02-22T00:00:00Z') });
      expect(
        backfill(daily, '2021-01-01T00:00:00Z', '2025-02-20T00:00:01Z', earliest).intervals,
      ).toHaveLength(1);
      expect(detailOf(() => backfill(daily, '2021-01-01T00:00:00Z', '2025-02-20T00:00:00Z', earliest))).toBe(
        'null: The provided backfill date range contains no data. ' +
          'The earliest possible backfill start date is 2025-02-20 00:00:00',
      );
      expect(detailOf(() => backfill(daily, null, '2025-02-19T10:00:00Z', earliest))).toMatch(
        /contains no data/,
      );
      expect(detailOf(() => backfill(daily, '2021-01-01T00:00:00Z', '2025-02-20T00:00:00Z', null))).toBe(
        'null: There is no data to backfill for this model.',
      );
      expect(detailOf(() => backfill(daily, null, null, at('2025-03-01T01:00:00Z')))).toMatch(
        /nothing to backfill/,
      );
    });

    it('nothing that ends before it starts, or later than one interval from now (BE-31, BE-32)', () => {
      const reversed = "null: The initial backfill datetime 'start_at' happens after 'end_at'";
      for (const start of ['2025-02-01T12:00:00Z', '2025-02-01T12:00:01Z']) {
        expect(detailOf(() => backfill(anExport(), start, '2025-02-01T12:00:00Z'))).toBe(reversed);
      }
      const start = '2025-03-01T00:00:00Z';
      expect(backfill(anExport(), start, '2025-03-01T10:30:00Z').intervals).toHaveLength(11);
      expect(detailOf(() => backfill(anExport(), start, '2025-03-01T10:30:00.250Z'))).toBe(
        "null: The provided 'end_at' (2025-03-01T10:30:00.250000+00:00) is too far into the future. " +
          'Cannot backfill beyond 1 batch period into the future.',
      );
    });

    it('at most 10,000 runs, whatever the range', () => {
      const start = '2024-01-01T00:00:00Z';
      expect(backfill(anExport(), start, '2025-02-20T16:00:00Z').intervals).toHaveLength(10_000);
      expect(detailOf(() => backfill(anExport(), start, '2025-02-20T17:00:00Z'))).toMatch(
        /10001 runs.* 10000 /,
      );
      const frequent = anExport({ interval: 'every 5 minutes' });
      const beginning = at('0001-01-01T00:00:00Z');
      expect(detailOf(() => backfill(frequent, null, '2025-01-01T00:00:00Z', beginning))).toMatch(
        /would be 212904288 runs/,
      );
    });

    describe('what a pause kept from happening (BE-29)', () => {
      const paused = (details: Partial<NewBatchExport> = {}, pausedAt = NOW) => {
        const batchExport = anExport(details);
        batchExport.pause(pausedAt);
        return batchExport;
      };
      const missed = (batchExport: BatchExport, now = LATER) => batchExport.backfillMissed('backfill', now);

      it('from the interval in which it began to the last that has ended', () => {
        const backfill = missed(paused());
        expect(backfill?.range).toEqual({
          start: at('2025-03-01T09:00:00Z'),
          end: at('2025-03-01T12:00:00Z'),
        });
        expect(stateOf(backfill as never)).toMatchObject({ startAt: NOW, endAt: LATER, totalRuns: 3 });
      });

      it('is nothing where no interval ended, or nothing was paused', () => {
        expect(missed(paused(), at('2025-03-01T09:59:59Z'))).toBeNull();
        expect(missed(anExport())).toBeNull();
      });

      it('from what the schedule had come to, where that was before, or where nobody knows when it began', () => {
        const late = paused({}, at('2025-03-01T11:30:00Z'));
        expect(missed(late)?.range.start).toEqual(at('2025-03-01T09:00:00Z'));
        expect(stateOf(missed(late) as never)).toMatchObject({ startAt: at('2025-03-01T09:00:00Z') });
        expect(missed(anExport({ paused: true }))?.range.start).toEqual(at('2025-03-01T09:00:00Z'));
        expect(
          missed(anExport({ paused: true, lastPausedAt: at('2025-03-01T02:10:00Z') }))?.range.start,
        ).toEqual(at('2025-03-01T02:00:00Z'));
      });

      it('with the runs that the pause has cancelled', () => {
        const batchExport = paused();
        batchExport.missesFrom(at('2025-03-01T05:00:00Z'));
        batchExport.missesFrom(at('2025-03-01T07:00:00Z'));
        expect(missed(batchExport)?.range.start).toEqual(at('2025-03-01T05:00:00Z'));
        batchExport.unpause(LATER);
        batchExport.pause(LATER);
        expect(missed(batchExport, at('2025-03-01T13:00:00Z'))?.range.start).toEqual(
          at('2025-03-01T12:00:00Z'),
        );
      });

      it('within start_at and end_at', () => {
        const startAt = at('2025-03-01T10:20:00Z');
        const endAt = at('2025-03-01T11:30:00Z');
        expect(missed(paused({ startAt, endAt }))?.range).toEqual({
          start: at('2025-03-01T10:00:00Z'),
          end: at('2025-03-01T11:00:00Z'),
        });
        expect(missed(paused({ endAt: NOW }))).toBeNull();
      });
    });
  });
});
