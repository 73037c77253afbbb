import type { RunProgress } from '../domain/run';
import { RunLost } from '../domain/run-errors';
import { RunAttempt, Standstill, WorkerStops } from './run-attempt';

const CLAIM = {
  id: 'run',
  batchExportId: 'export',
  attempt: 3,
  run: { progress: { bytes: 7 }, reached: 'c' },
};

/** An attempt by a clock and a heart that the test moves; what it tells is kept. */
function attemptWith(fails: () => Error | null = () => null) {
  const stopping = new AbortController();
  let now = 0;
  const advances: RunProgress[] = [];
  const said: string[] = [];
  const attempt = new RunAttempt(CLAIM as never, stopping.signal, {
    clock: { now: () => new Date(now) },
    runs: {
      advance: async (id: string, number: number, progress: RunProgress) => {
        expect([id, number]).toEqual(['run', 3]);
        advances.push(progress);
        const error = fails();
        if (error) throw error;
      },
    } as never,
    log: {
      tell: async (_: unknown, level: string, message: string) => said.push(`${level} ${message}`),
    } as never,
    mask: (text) => text.replace('secret', '***'),
  });
  const pass = async (seconds: number) => {
    now += seconds * 1000;
    await jest.advanceTimersByTimeAsync(1_000);
  };
  return { attempt, stopping, advances, said, pass };
}

describe('RunAttempt', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('tells every second how far it is, beginning where the last one came to', async () => {
    const { attempt, advances, pass } = attemptWith();
    await attempt.expect(10, 4);
    attempt.wrote(2, 100);
    attempt.reached('d');
    await pass(1);
    attempt.wrote(1, 50);
    await pass(1);
    expect(advances).toEqual([
      { recordsCompleted: 4, bytes: 7, cursor: 'c' },
      { recordsCompleted: 6, bytes: 107, cursor: 'd' },
      { recordsCompleted: 7, bytes: 157, cursor: 'd' },
    ]);
    await attempt.end();
    await pass(1);
    expect(advances).toHaveLength(3);
    expect(attempt.duration).toBe(3);
  });

  it('is aborted when the run is lost to it', async () => {
    const { attempt, pass } = attemptWith(() => new RunLost());
    await pass(1);
    expect(attempt.signal.reason).toBeInstanceOf(RunLost);
    await expect(attempt.confirm()).rejects.toThrow(RunLost);
    await attempt.end();
  });

  it('goes on when the database does not answer for a while', async () => {
    let isAway = true;
    const { attempt, advances, pass } = attemptWith(() =>
      isAway ? new Error('connect ECONNREFUSED') : null,
    );
    await pass(1);
    await pass(1);
    isAway = false;
    await pass(1);
    expect([attempt.signal.aborted, advances.length]).toEqual([false, 3]);
    await attempt.end();
  });

  it('is aborted when the process stops, also when it did before', async () => {
    const { attempt, stopping } = attemptWith();
    stopping.abort();
    expect(attempt.signal.reason).toBeInstanceOf(WorkerStops);
    await attempt.end();
  });

  it('is aborted after ten minutes without progress', async () => {
    const { attempt, pass } = attemptWith();
    await pass(599);
    attempt.wrote(1, 1);
    await pass(599);
    attempt.log('INFO', 'merging');
    await pass(600);
    expect(attempt.signal.aborted).toBe(false);
    await pass(1);
    expect(attempt.signal.reason).toBeInstanceOf(Standstill);
    await attempt.end();
  });

  it('says in the log how far it is, at most once a minute, and what its writer says, without secrets', async () => {
    const { attempt, said, pass } = attemptWith();
    await attempt.expect(100, 0);
    attempt.wrote(40, 4000);
    for (let second = 0; second < 125; second += 1) await pass(1);
    attempt.log('WARNING', 'the secret was refused');
    expect(said).toEqual([
      'INFO 40 of 100 records, 4007 bytes',
      'INFO 40 of 100 records, 4007 bytes',
      'WARNING the *** was refused',
    ]);
    await attempt.end();
  });
});
