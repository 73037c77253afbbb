import { Settings } from '../../src/config/settings';
import { Jobs } from '../../src/shared/jobs/jobs';
import { Transaction } from '../../src/shared/persistence/transaction';
import { TestApi } from '../support/api';
import { until } from '../support/server-process';

const QUEUE = 'mails';

describe('Jobs', () => {
  let api: TestApi;
  let transaction: Transaction;
  const started: Jobs[] = [];

  /** A process of its own, as far as jobs go. */
  const process = async (
    handle: (data: { name: string }, stopping: AbortSignal) => Promise<void>,
    { concurrency = 1, role = 'worker' } = {},
  ): Promise<Jobs> => {
    const jobs = new Jobs(Settings.from({ ROLE: role }), transaction);
    jobs.work(QUEUE, concurrency, handle);
    await jobs.onApplicationBootstrap();
    started.push(jobs);
    return jobs;
  };
  const states = async () => {
    const rows = await api.rows<{ name: string; state: string }>(
      "SELECT data->>'name' AS name, state FROM jobs.job WHERE name = 'mails'",
    );
    return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
  };

  beforeAll(async () => {
    api = await TestApi.start();
    transaction = api.app.get(Transaction);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((jobs) => jobs.beforeApplicationShutdown()));
    await api.rows('DELETE FROM jobs.job');
  });
  afterAll(() => api.stop());

  it('are there when the transaction that enqueued them commits, and only then', async () => {
    const done: string[] = [];
    const jobs = await process(async ({ name }) => {
      done.push(name);
    });
    const failed = transaction.run(async () => {
      await jobs.enqueue(QUEUE, [{ data: { name: 'rolled back' } }]);
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    await transaction.run(() => jobs.enqueue(QUEUE, [{ data: { name: 'committed' } }]));
    jobs.nudge(QUEUE);
    await until(() => done.length > 0);
    expect(done).toEqual(['committed']);
    await until(async () => (await states()).committed === 'completed');
    expect(await states()).toEqual({ committed: 'completed' });
  });

  it('go to one worker each, however many there are', async () => {
    const done: string[] = [];
    const names = Array.from({ length: 200 }, (_, number) => `job ${number}`);
    const work = async ({ name }: { name: string }) => {
      done.push(name);
    };
    const workers = await Promise.all([1, 2, 3].map(() => process(work, { concurrency: 5 })));
    await workers[0]?.enqueue(
      QUEUE,
      names.map((name) => ({ data: { name } })),
    );
    await until(() => done.length >= names.length);
    expect([...done].sort()).toEqual([...names].sort());
  });

  it('are executed by priority, then by age, and no more at once than asked for', async () => {
    const order: string[] = [];
    const ends = new Map<string, () => void>();
    const jobs = await process(
      ({ name }) => {
        order.push(name);
        return new Promise((end) => ends.set(name, end));
      },
      { concurrency: 2, role: 'api' },
    );
    await jobs.enqueue(QUEUE, [{ data: { name: 'old' } }]);
    await jobs.enqueue(QUEUE, [{ data: { name: 'new' } }, { data: { name: 'urgent' }, priority: 1 }]);
    expect(order).toEqual([]);
    const worker = await process(
      ({ name }) => {
        order.push(name);
        return new Promise((end) => ends.set(name, end));
      },
      { concurrency: 2 },
    );
    await until(() => order.length === 2);
    expect(order).toEqual(['urgent', 'old']);
    ends.get('urgent')?.();
    await until(() => order.length === 3);
    expect(order).toEqual(['urgent', 'old', 'new']);
    for (const end of ends.values()) end();
    worker.nudge(QUEUE);
    await until(async () => Object.values(await states()).every((state) => state === 'completed'));
  });

  it('that fail are marked so, and do not stop the others', async () => {
    const done: string[] = [];
    const jobs = await process(async ({ name }) => {
      if (name === 'bad') throw new Error('bad');
      done.push(name);
    });
    await jobs.enqueue(QUEUE, [{ data: { name: 'bad' } }, { data: { name: 'good' } }]);
    jobs.nudge(QUEUE);
    await until(() => done.length === 1);
    await until(async () =>
      Object.values(await states()).every((state) => !['created', 'active'].includes(state)),
    );
    expect(await states()).toEqual({ bad: 'failed', good: 'completed' });
  });

  it('are told when the process stops, and are waited for', async () => {
    let ended = false;
    let running = false;
    const jobs = await process((_, stopping) => {
      running = true;
      return new Promise<void>((resolve) => {
        stopping.addEventListener('abort', () => {
          ended = true;
          resolve();
        });
      });
    });
    await jobs.enqueue(QUEUE, [{ data: { name: 'long' } }]);
    jobs.nudge(QUEUE);
    await until(() => running);
    await jobs.beforeApplicationShutdown();
    started.pop();
    expect(ended).toBe(true);
    expect(await states()).toEqual({ long: 'completed' });
  });
});
