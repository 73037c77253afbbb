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
    const batchExport = anExport({ model: 'persons', startAt: NOW, endAt: LATER, hogqlQuery: 'SELECT 1' });
    batchExport.change({ name: 'Other', endAt: null }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject({
      name: 'Other',
      model: 'persons',
      interval: 'hour',
      startAt: NOW,
      endAt: null,
      hogqlQuery: 'SELECT 1',
      createdAt: NOW,
      lastUpdatedAt: LATER,
    });
    batchExport.change({ model: null, hogqlQuery: null }, vault, LATER);
    expect(stateOf(batchExport)).toMatchObject({ model: 'events', hogqlQuery: null });
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
    expect(batchExport.unpause(LATER)).toBe(false);
    expect(stateOf(batchExport).lastUpdatedAt).toBe(NOW);
    batchExport.pause(LATER);
    batchExport.pause(at('2026-01-01T00:00:00Z'));
    expect(stateOf(batchExport)).toMatchObject({ paused: true, lastPausedAt: LATER, lastUpdatedAt: LATER });
    expect(batchExport.unpause(LATER)).toBe(true);
    expect(stateOf(batchExport)).toMatchObject({ paused: false, lastPausedAt: LATER });
    batchExport.change({ paused: true }, vault, NOW);
    expect(stateOf(batchExport)).toMatchObject({ paused: true, lastPausedAt: LATER });
  });

  describe('backfills', () => {
    const EARLIEST = at('2025-02-27T23:15:00Z');
    const bounds = (startAt: string | null, endAt: string | null): BackfillBounds => ({
      startAt: startAt === null ? null : at(startAt),
      endAt: endAt === null ? null : at(endAt),
    });
    const S3 = { type: 'S3', config: { bucket_name: 'b', region: 'r', prefix: '' } } as const;
    const backfill = (batchExport: BatchExport, start: string | null, end: string | null) =>
      batchExport.backfill('backfill', bounds(start, end), EARLIEST, NOW);

    it('what lies in the bounds, rounded outwards', () => {
      const { intervals, range } = backfill(anExport(), '2025-02-01T10:20:00Z', '2025-02-01T12:00:01Z');
      expect(intervals).toHaveLength(3);
      expect(range).toEqual({ start: at('2025-02-01T10:00:00Z'), end: at('2025-02-01T13:00:00Z') });
      const week = backfill(anExport({ interval: 'week' }), '2025-02-05T00:00:00Z', '2025-02-06T00:00:00Z');
      expect(week.intervals).toEqual([
        { start: at('2025-02-03T00:00:00Z'), end: at('2025-02-10T00:00:00Z') },
      ]);
    });

    it('from the beginning without a start, to the last interval that has ended without an end (BE-33)', () => {
      const all = backfill(anExport({ interval: 'day' }), null, null);
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
      expect(detailOf(() => backfill(anExport(), null, '2025-02-27T22:59:59Z'))).toMatch(
        /nothing to backfill: .* 2025-02-27T23:00:00\+00:00 and 2025-02-27T23:00:00\+00:00/,
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
      expect(detailOf(() => backfill(frequent, '0001-01-01T00:00:00Z', '2025-01-01T00:00:00Z'))).toMatch(
        /would be 212904288 runs/,
      );
    });

    it('the runs that a pause kept from happening: their intervals ended during it (BE-29)', () => {
      const batchExport = anExport();
      batchExport.pause(NOW);
      batchExport.unpause(LATER);
      const missed = batchExport.backfillMissed('backfill', LATER);
      expect(missed?.range).toEqual({ start: at('2025-03-01T09:00:00Z'), end: at('2025-03-01T12:00:00Z') });
      expect(stateOf(missed as never)).toMatchObject({ startAt: NOW, endAt: LATER, totalRuns: 3 });
      expect(batchExport.backfillMissed('backfill', at('2025-03-01T09:59:00Z'))).toBeNull();
      expect(detailOf(() => anExport({ paused: true }).backfillMissed('backfill', LATER))).toBe(
        "null: The missed runs cannot be backfilled: the batch export has no 'last_paused_at'.",
      );
    });
  });
});
