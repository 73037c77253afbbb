import { boundaryBefore } from '../../src/batch-export/domain/interval';
import { Housekeeping } from '../../src/batch-export/engine/housekeeping';
import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { ScheduleRepository } from '../../src/batch-export/persistence/schedule.repository';
import { type Person, TestApi } from '../support/api';

const HOUR = 3_600_000;

describe("The batch exports' schedule", () => {
  let api: TestApi;
  let other: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    other = await api.beside();
    owner = await api.owner();
    // Half past an hour, so that no boundary passes unless the clock is moved.
    api.clock.advance({ minutes: 90 - api.clock.now().getUTCMinutes() });
  });
  afterAll(async () => {
    await other.stop();
    await api.stop();
  });
  beforeEach(async () => {
    await api.rows('DELETE FROM batch_exports');
    await api.rows('DELETE FROM jobs.job');
  });

  const path = (id: string, operation = '') => owner.path(`batch_exports/${id}/${operation}`);
  const create = async (body: object = {}): Promise<string> => {
    const made = { name: 'Hourly', interval: 'hour', destination: { type: 'NoOp' }, ...body };
    const { status, body: answer } = await owner.post(owner.path('batch_exports/'), made);
    expect(status).toBe(201);
    return answer.id;
  };
  /** Two processes tick at once. */
  const tick = () => Promise.all([api, other].map(({ app }) => app.get(Scheduler).tick()));
  /** The beginning of the interval that is open now. */
  const open = () => boundaryBefore('hour', api.clock.now()).getTime();
  const runsOf = async (id: string) => {
    const rows = await api.rows<{ start: Date; end: Date; status: string; job: string | null }>(
      `SELECT data_interval_start AS start, data_interval_end AS end, status, job_id AS job FROM batch_export_runs
        WHERE batch_export_id = $1 ORDER BY id`,
      [id],
    );
    return rows;
  };
  /** The starts of the runs' intervals, in hours from the one that is open. */
  const hoursOf = async (id: string) =>
    (await runsOf(id)).map(({ start }) => (start.getTime() - open()) / HOUR);
  const nextOf = async (id: string) => {
    const [row] = await api.rows<{ next: Date | null }>(
      'SELECT next_run_at AS next FROM batch_exports WHERE id = $1',
      [id],
    );
    return row?.next ? (row.next.getTime() - open()) / HOUR : null;
  };
  const jobs = () =>
    api.rows<{ id: string; run: string; priority: number }>(
      "SELECT id, data->>'runId' AS run, priority FROM jobs.job WHERE state = 'created' ORDER BY created_on, id",
    );

  it('gives one run, with one job, to each interval when it has ended', async () => {
    const id = await create();
    await tick();
    expect(await runsOf(id)).toEqual([]);
    expect(await nextOf(id)).toBe(1);
    api.clock.advance({ hours: 1 });
    for (let time = 0; time < 3; time += 1) await tick();
    expect(await hoursOf(id)).toEqual([-1]);
    expect(await nextOf(id)).toBe(1);
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ status: 'Starting', job: expect.any(String) });
    expect(await jobs()).toEqual([{ id: run?.job, run: expect.any(String), priority: 1 }]);
  });

  it('catches up in order what was missed while no process ran', async () => {
    const id = await create();
    const daily = await create({ interval: 'day' });
    const frequent = await create({ interval: 'every 5 minutes' });
    api.clock.advance({ hours: 30 });
    await tick();
    expect(await hoursOf(id)).toEqual(Array.from({ length: 30 }, (_, index) => index - 30));
    expect([1, 2]).toContain((await runsOf(daily)).length);
    expect(await runsOf(frequent)).toHaveLength(360);
    const order = (await jobs()).map(({ run }) => run);
    const ends = await api.rows<{ id: string; end: Date }>(
      'SELECT id, data_interval_end AS end FROM batch_export_runs',
    );
    const endOf = new Map(ends.map((row) => [row.id, row.end.getTime()]));
    const hourly = new Set(
      (
        await api.rows<{ id: string }>('SELECT id FROM batch_export_runs WHERE batch_export_id = $1', [id])
      ).map((row) => row.id),
    );
    const ofHourly = order.filter((run) => hourly.has(run)).map((run) => endOf.get(run) ?? 0);
    expect(ofHourly).toEqual([...ofHourly].sort((one, two) => one - two));
    expect(order).toHaveLength(ends.length);
  });

  it('gives a thousand due exports one run each, however many processes tick at once', async () => {
    const id = await create();
    await api.rows(
      `INSERT INTO batch_exports (id, organization_id, project_id, name, model, destination_type, destination_config,
              interval, paused, created_at, last_updated_at, deleted, scheduled_until, next_run_at)
       SELECT gen_random_uuid(), organization_id, project_id, name, model, destination_type, destination_config,
              e.interval, paused, created_at, last_updated_at, deleted, scheduled_until, next_run_at
         FROM batch_exports e, generate_series(1, 999) WHERE id = $1`,
      [id],
    );
    api.clock.advance({ hours: 2 });
    await Promise.all([tick(), tick(), tick()]);
    const [counts] = await api.rows(
      `SELECT count(*)::int AS runs, count(DISTINCT batch_export_id)::int AS exports,
              count(DISTINCT (batch_export_id, data_interval_start))::int AS intervals,
              (SELECT count(*)::int FROM jobs.job) AS jobs,
              (SELECT count(DISTINCT data->>'runId')::int FROM jobs.job) AS queued,
              (SELECT count(DISTINCT next_run_at)::int FROM batch_exports) AS marks
         FROM batch_export_runs`,
    );
    expect(counts).toEqual({
      runs: 2000,
      exports: 1000,
      intervals: 2000,
      jobs: 2000,
      queued: 2000,
      marks: 1,
    });
  });

  it('keeps to start_at and end_at, also when they move', async () => {
    const at = (hours: number) => new Date(open() + hours * HOUR).toISOString();
    const id = await create({ start_at: at(3), end_at: at(5) });
    const ended = await create({ end_at: at(0) });
    expect([await nextOf(id), await nextOf(ended)]).toEqual([4, null]);
    api.clock.advance({ hours: 3 });
    await tick();
    expect(await hoursOf(id)).toEqual([]);
    api.clock.advance({ hours: 5 });
    await tick();
    expect(await hoursOf(id)).toEqual([-5, -4]);
    expect([await nextOf(id), await hoursOf(ended)]).toEqual([null, []]);
    // A later end: it goes on where it has come to.
    await owner.patch(path(id), { end_at: null });
    await tick();
    expect(await hoursOf(id)).toEqual([-5, -4, -3, -2, -1]);
  });

  it('goes on from where it has come to when the interval changes', async () => {
    const id = await create();
    api.clock.advance({ hours: 1 });
    await tick();
    await owner.patch(path(id), { interval: 'day' });
    const midnight = Math.floor(open() / (24 * HOUR)) * 24 * HOUR;
    const next = await nextOf(id);
    expect(open() + (next ?? 0) * HOUR).toBe(midnight + 24 * HOUR);
    await owner.patch(path(id), { interval: 'every 5 minutes' });
    await tick();
    const runs = await runsOf(id);
    expect(runs.slice(1).map(({ start }) => (start.getTime() - open()) / 60_000)).toEqual([
      0, 5, 10, 15, 20, 25,
    ]);
  });

  it('stands still for what is paused or deleted, and skips what was missed', async () => {
    const paused = await create();
    const flagged = await create();
    const deleted = await create();
    await owner.post(path(paused, 'pause/'));
    await owner.patch(path(flagged), { paused: true });
    await owner.delete(path(deleted));
    api.clock.advance({ hours: 3 });
    await tick();
    await owner.post(path(paused, 'unpause/'));
    await owner.patch(path(flagged), { paused: false });
    await tick();
    for (const id of [paused, flagged, deleted]) expect(await hoursOf(id)).toEqual([]);
    api.clock.advance({ hours: 1 });
    await tick();
    expect([await hoursOf(paused), await hoursOf(flagged), await hoursOf(deleted)]).toEqual([[-1], [-1], []]);
  });

  it('is caught up by a backfill after a pause, with what the pause has cancelled', async () => {
    const id = await create();
    api.clock.advance({ hours: 2 });
    await tick();
    expect(await hoursOf(id)).toEqual([-2, -1]);
    await owner.post(path(id, 'pause/'));
    expect((await runsOf(id)).map(({ status, job }) => [status, job])).toEqual(
      Array(2).fill(['Cancelled', null]),
    );
    api.clock.advance({ hours: 2 });
    await tick();
    const { body } = await owner.preferring.post(path(id, 'unpause/'), { backfill: true });
    expect(body).toMatchObject({ paused: false });
    expect((await hoursOf(id)).slice(2)).toEqual([-4, -3, -2, -1]);
    await tick();
    expect(await nextOf(id)).toBe(1);
    // Its oldest data comes first, two runs at a time, after what is due.
    const [first, second, ...rest] = (await runsOf(id)).slice(2).map(({ job }) => job);
    expect([typeof first, typeof second, ...rest]).toEqual(['string', 'string', null, null]);
    const priorities = (await jobs())
      .filter((job) => [first, second].includes(job.id))
      .map((job) => job.priority);
    expect(priorities).toEqual([0, 0]);
  });

  it('queues again what a worker has taken and not begun', async () => {
    const id = await create();
    api.clock.advance({ hours: 2 });
    await tick();
    const before = await runsOf(id);
    await api.rows("UPDATE jobs.job SET state = 'active' WHERE id = $1", [before[0]?.job]);
    await api.app.get(Housekeeping).requeueLostRuns();
    expect(await runsOf(id)).toEqual(before);
    api.clock.advance({ minutes: 2 });
    await Promise.all([api, other].map(({ app }) => app.get(Housekeeping).requeueLostRuns()));
    const after = await runsOf(id);
    expect(after[0]?.job).not.toBe(before[0]?.job);
    expect(after[1]?.job).toBe(before[1]?.job);
    expect((await jobs()).map((job) => job.id).sort()).toEqual(after.map(({ job }) => job).sort());
  });

  it('gives workers some seconds to tell that they live, when the database was away', async () => {
    const id = await create();
    api.clock.advance({ hours: 1 });
    await tick();
    const scheduler = api.app.get(Scheduler);
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    jest.spyOn(ScheduleRepository.prototype, 'due').mockRejectedValueOnce(away);
    await expect(scheduler.tick()).rejects.toThrow('ECONNREFUSED');
    jest.restoreAllMocks();
    await api.rows("UPDATE batch_export_runs SET status = 'Running', heartbeat_at = $1", [
      new Date(api.clock.now().getTime() - 60_000),
    ]);
    const state = async () => (await runsOf(id))[0]?.status;
    await scheduler.tick();
    await scheduler.tick();
    expect(await state()).toBe('Running');
    api.clock.advance({ seconds: 6 });
    await scheduler.tick();
    expect(await state()).toBe('Starting');
  });

  it('deletes log entries when they are 30 days old', async () => {
    const id = await create();
    await owner.post(path(id, 'pause/'));
    await api.rows(
      `INSERT INTO batch_export_log_entries (id, batch_export_id, instance_id, timestamp, level, message)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), $2::timestamptz - age, 'INFO', age::text
         FROM (SELECT interval '30 days 1 second' AS age FROM generate_series(1, 2500)
               UNION ALL SELECT interval '29 days 23 hours') AS ages`,
      [id, api.clock.now()],
    );
    await api.app.get(Housekeeping).deleteOldLogEntries();
    expect(await api.rows('SELECT message FROM batch_export_log_entries')).toEqual([
      { message: '29 days 23:00:00' },
    ]);
  });

  it('tells in the metrics how late it is', async () => {
    const lag = async () => {
      const text = await (await fetch(`${api.url}/metrics`)).text();
      return Number(/^batch_export_lag_seconds (\S+)$/m.exec(text)?.[1]);
    };
    const id = await create();
    expect(await lag()).toBe(0);
    const since = open() + HOUR;
    api.clock.advance({ hours: 2 });
    const late = (api.clock.now().getTime() - since) / 1000;
    expect(Math.abs((await lag()) - late)).toBeLessThan(60);
    await tick();
    expect(Math.abs((await lag()) - late)).toBeLessThan(60);
    await owner.post(path(id, 'pause/'));
    expect(await lag()).toBe(0);
  });
});
