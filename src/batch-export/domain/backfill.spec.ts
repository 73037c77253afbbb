import { Backfill } from './backfill';

const NOW = new Date('2025-03-01T09:30:00Z');
const RANGE = { start: new Date('2025-03-01T07:00:00Z'), end: new Date('2025-03-01T09:00:00Z') };
const aBackfill = () => Backfill.of('backfill', 'export', { startAt: null, endAt: null }, 'hour', RANGE, NOW);
const stateOf = (backfill: Backfill) => ({ ...backfill }) as unknown as Record<string, unknown>;

describe('Backfill', () => {
  it.each([
    [{ completed: 2, failed: 0, cancelled: 0 }, 'Completed'],
    [{ completed: 1, failed: 0, cancelled: 1 }, 'Cancelled'],
    [{ completed: 1, failed: 1, cancelled: 1 }, 'Failed'],
    [{ completed: 0, failed: 2, cancelled: 0 }, 'Failed'],
  ])('of runs that ended as %j has ended as %s', (ended, status) => {
    const backfill = aBackfill();
    backfill.finish(ended, NOW);
    expect(stateOf(backfill)).toMatchObject({ status, finishedAt: NOW });
    expect(backfill.isOpen).toBe(false);
  });

  it('is cancelled while it goes on, and goes on again when one of its runs is asked for again', () => {
    const backfill = aBackfill();
    backfill.cancel(NOW);
    expect(stateOf(backfill)).toMatchObject({ status: 'Cancelled', finishedAt: NOW });
    expect(() => backfill.cancel(NOW)).toThrow('The backfill has ended already: it is Cancelled.');
    backfill.resume();
    expect(stateOf(backfill)).toMatchObject({ status: 'Running', finishedAt: null });
  });
});
