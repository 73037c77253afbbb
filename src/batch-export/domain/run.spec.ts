import { MOST_FAILURES, Run } from './run';

const at = (text: string) => new Date(`2025-03-01T${text}Z`);
const INTERVAL = { start: at('08:00:00'), end: at('09:00:00') };
const NOW = at('09:00:00');

const aRun = () => Run.of('run', 'export', null, INTERVAL, NOW);
const started = (revision = 1) => {
  const run = aRun();
  run.queue(NOW);
  run.start(revision, NOW);
  return run;
};
const stateOf = (run: Run) => ({ ...run }) as unknown as Record<string, unknown>;
const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing was refused';
};

describe('Run', () => {
  it('waits in a queue, then runs as an attempt with a number of its own', () => {
    const run = aRun();
    expect([run.state, run.isOpen, run.number]).toEqual(['Starting', true, 0]);
    expect(stateOf(run)).toMatchObject({ queuedAt: null });
    run.queue(NOW);
    expect(stateOf(run)).toMatchObject({ status: 'Starting', queuedAt: NOW });
    expect(run.start(1, at('09:00:01'))).toBe(true);
    expect(run.start(1, at('09:00:02'))).toBe(false);
    expect(stateOf(run)).toMatchObject({
      status: 'Running',
      attempt: 1,
      queuedAt: NOW,
      startedAt: at('09:00:01'),
      heartbeatAt: at('09:00:01'),
      recordsCompleted: 0,
      bytes: 0,
    });
  });

  it('completes with what it has delivered, and forgets its last error', () => {
    const run = started();
    run.failTransiently('503', 0, NOW);
    run.queue(NOW);
    run.start(1, NOW);
    run.complete({ recordsCompleted: 2 ** 31, bytes: 5e9, cursor: 'c' }, at('09:10:00'));
    expect(stateOf(run)).toMatchObject({
      status: 'Completed',
      recordsCompleted: 2 ** 31 - 1,
      bytes: 5e9,
      cursor: 'c',
      latestError: null,
      finishedAt: at('09:10:00'),
      queuedAt: null,
      heartbeatAt: null,
    });
  });

  it('is tried again later each time, and fails after ten attempts that failed', () => {
    const run = started();
    for (let failures = 1; failures < MOST_FAILURES; failures += 1) {
      run.failTransiently('503', 0.5, NOW);
      const wait = Math.min(600, 10 * 2 ** (failures - 1)) / 2;
      expect([run.state, run.retriesAt?.getTime()]).toEqual(['FailedRetryable', NOW.getTime() + wait * 1000]);
      run.queue(NOW);
      run.start(1, NOW);
    }
    run.failTransiently('503', 0.5, NOW);
    expect([run.state, run.number, run.retriesAt, run.error]).toEqual(['Failed', 10, null, '503']);
  });

  it('is tried again after what was not the destination, however often', () => {
    const run = started();
    for (let time = 0; time < 50; time += 1) {
      run.interrupt('away', at('09:00:05'), NOW);
      expect([run.state, run.retriesAt]).toEqual(['FailedRetryable', at('09:00:05')]);
      run.queue(NOW);
      run.start(1, NOW);
    }
    expect([run.state, run.number]).toEqual(['Running', 51]);
  });

  it('goes on where it came to only as long as the export is what it was', () => {
    const run = started(1);
    Object.assign(run, { cursor: 'c', bytes: 7 });
    run.failTransiently('503', 0, NOW);
    run.queue(NOW);
    run.start(1, NOW);
    expect([run.reached, run.progress.bytes]).toEqual(['c', 7]);
    run.failTransiently('503', 0, NOW);
    run.queue(NOW);
    run.start(2, NOW);
    expect([run.reached, run.progress.bytes]).toEqual([null, 0]);
  });

  it('is cancelled while it goes on, and asked for again when it has ended', () => {
    const run = started();
    expect(reasonOf(() => run.retry(NOW))).toBe('The run has not ended yet: it is Running.');
    run.cancel(NOW);
    expect(stateOf(run)).toMatchObject({ status: 'Cancelled', finishedAt: NOW, queuedAt: null });
    expect(reasonOf(() => run.cancel(NOW))).toBe('The run has ended already: it is Cancelled.');
    Object.assign(run, { cursor: 'c', failures: 9, recordsTotalCount: 3 });
    run.retry(at('10:00:00'));
    expect(stateOf(run)).toMatchObject({
      status: 'Starting',
      attempt: 1,
      failures: 0,
      cursor: null,
      recordsCompleted: null,
      recordsTotalCount: null,
      bytes: null,
      startedAt: null,
      finishedAt: null,
      queuedAt: null,
    });
    expect(run.start(1, NOW) && run.number).toBe(2);
  });

  it('is silent when its worker was not heard of for more than 30 seconds', () => {
    const run = started();
    expect([run.isSilent(at('09:00:30')), run.isSilent(at('09:00:30.001'))]).toEqual([false, true]);
    run.interrupt('away', NOW, NOW);
    expect(run.isSilent(at('10:00:00'))).toBe(false);
  });

  it('is taken over from a worker that died, unless that has happened too often', () => {
    const run = started();
    expect(run.takeOver('silent', NOW)).toBe(true);
    expect([run.error, run.isOpen]).toEqual(['silent', true]);
    Object.assign(run, { failures: 9 });
    expect(run.takeOver('silent', NOW)).toBe(false);
    expect(run.state).toBe('Failed');
  });

  it('has outstayed when it goes on more than 24 hours after its first start', () => {
    const late = new Date(NOW.getTime() + 24 * 3_600_000);
    const later = new Date(late.getTime() + 1);
    const run = started();
    expect([run.hasOutstayed(late), run.hasOutstayed(later)]).toEqual([false, true]);
    run.interrupt('away', NOW, NOW);
    expect(run.hasOutstayed(later)).toBe(true);
    run.timeOut('too long', later);
    expect([run.state, run.error, run.hasOutstayed(later)]).toEqual(['TimedOut', 'too long', false]);
    expect(aRun().hasOutstayed(later)).toBe(false);
  });
});
