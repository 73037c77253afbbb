import { boundaryBefore } from '../../src/batch-export/domain/interval';
import { Housekeeping } from '../../src/batch-export/engine/housekeeping';
import { RunTurns } from '../../src/batch-export/engine/run-turns';
import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { ScheduleRepository } from '../../src/batch-export/persistence/schedule.repository';
import { Transaction } from '../../src/shared/persistence/transaction';
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
    const rows = await api.rows<{ start: Date; end: Date; status: string; queued: Date | null }>(
      `SELECT data_interval_start AS start, data_interval_end AS end, status, queued_at AS queued FROM batch_export_runs
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
  it('gives one run, that waits for a worker, to each interval when it has ended', async () => {
    const id = await create();
    await tick();
    expect(await runsOf(id)).toEqual([]);
    expect(await nextOf(id)).toBe(1);
    api.clock.advance({ hours: 1 });
    for (let time = 0; time < 3; time += 1) await tick();
    expect(await hoursOf(id)).toEqual([-1]);
    expect(await nextOf(id)).toBe(1);
    const [run] = await runsOf(id);
    expect(run).toMatchObject({ status: 'Starting', queued: expect.any(Date) });
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
    // Of each export the oldest data is next.
    const turns = await api.app.get(Transaction).run(async () => {
      const taken: { id: string; end: Date }[] = [];
      const next = () => api.app.get(RunTurns).next();
      for (let run = await next(); run !== null; run = await next()) {
        const sql = `UPDATE batch_export_runs SET queued_at = NULL
                      WHERE id = $1 RETURNING batch_export_id AS id, data_interval_end AS end`;
        taken.push(...(await api.rows<{ id: string; end: Date }>(sql, [run])));
      }
      return taken;
    });
    const ofHourly = turns.filter((run) => run.id === id).map(({ end }) => end.getTime());
    expect(ofHourly).toHaveLength(30);
    expect(ofHourly).toEqual([...ofHourly].sort((one, other) => one - other));
    expect(turns.length).toBeGreaterThan(390);
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
              count(queued_at)::int AS queued,
              (SELECT count(DISTINCT next_run_at)::int FROM batch_exports) AS marks
         FROM batch_export_runs`,
    );
    expect(counts).toEqual({
      runs: 2000,
      exports: 1000,
      intervals: 2000,
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
    expect((await runsOf(id)).map(({ status, queued }) => [status, queued])).toEqual(
      Array(2).fill(['Cancelled', null]),
    );
    api.clock.advance({ hours: 2 });
    await tick();
    const { body } = await owner.preferring.post(path(id, 'unpause/'), { backfill: true });
    expect(body).toMatchObject({ paused: false });
    expect((await hoursOf(id)).slice(2)).toEqual([-4, -3, -2, -1]);
    await tick();
    expect(await nextOf(id)).toBe(1);
    // Its oldest data comes first, two runs at a time.
    const queued = (await runsOf(id)).slice(2).map((run) => run.queued !== null);
    expect(queued).toEqual([true, true, false, false]);
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

  it('deletes runs 90 days after their end, but for the newest of an export and those of what goes on', async () => {
    const [id, idle, past] = [await create(), await create(), await create({ paused: true })];
    const day = (days: number) => new Date(api.clock.now().getTime() - days * 24 * HOUR);
    await api.rows(
      `INSERT INTO batch_export_backfills (id, batch_export_id, status, total_runs, created_at, finished_at)
       VALUES ('01900000-0000-7000-8000-000000000001', $1, 'Running', 2, $2, NULL),
              ('01900000-0000-7000-8000-000000000002', $1, 'Completed', 1, $2, $2),
              ('01900000-0000-7000-8000-000000000003', $1, 'Failed', 2, $2, $2)`,
      [past, day(100)],
    );
    const insert = (
      export_: string,
      status: string,
      count: number,
      end: Date,
      backfill: number | null = null,
    ) =>
      api.rows(
        `INSERT INTO batch_export_runs (id, batch_export_id, backfill_id, status, data_interval_start,
                data_interval_end, created_at, finished_at, last_updated_at)
         SELECT gen_random_uuid(), $1, ('01900000-0000-7000-8000-00000000000' || $5::text)::uuid, $2::varchar, $4::timestamptz + step, $4,
                $4::timestamptz + step, CASE WHEN $2::varchar <> 'Starting' THEN $4::timestamptz + step END, $4
           FROM generate_series(1, $3::integer) AS number, LATERAL (SELECT number * interval '1 millisecond') AS of (step)`,
        [export_, status, count, end, backfill],
      );
    await insert(id, 'Completed', 2500, day(91));
    await insert(id, 'Failed', 1, day(89));
    await insert(idle, 'Cancelled', 3, day(200));
    await insert(past, 'Completed', 1, day(99), 2);
    await insert(past, 'Failed', 1, day(99), 3);
    await insert(past, 'Completed', 1, day(88), 3);
    await insert(past, 'Completed', 1, day(98), 1);
    await insert(past, 'Starting', 1, day(97), 1);
    await Promise.all([api, other].map(({ app }) => app.get(Housekeeping).deleteOldRuns()));
    const left = async () => {
      const rows = await api.rows<{ id: string; status: string }>(
        'SELECT batch_export_id AS id, status FROM batch_export_runs ORDER BY created_at',
      );
      return rows.map((run) => [[id, idle, past].indexOf(run.id), run.status]);
    };
    expect(await left()).toEqual([
      [1, 'Cancelled'],
      // Of a backfill that has a younger one, whose end all of them tell.
      [2, 'Failed'],
      [2, 'Completed'],
      [2, 'Starting'],
      [0, 'Failed'],
      [2, 'Completed'],
    ]);
    const { body } = await owner.preferring.get(path(id, 'runs/'));
    expect(body.results).toHaveLength(1);
    const backfills = (await owner.preferring.get(path(past, 'backfills/'))).body.results;
    expect(backfills).toHaveLength(2);
    expect(backfills).toContainEqual(
      expect.objectContaining({ status: 'Running', total_runs: 2, finished_runs: 1 }),
    );
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
