import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { BatchExportRepository } from '../../src/batch-export/persistence/batch-export.repository';
import { type Person, TestApi } from '../support/api';
import { block, ScriptedWriter } from '../support/scripted-writer';
import { until } from '../support/server-process';

/** Takes connections, and says nothing. */
class SilentServer {
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {
    server.on('connection', (socket) => {
      this.sockets.add(socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket)));
    });
  }

  static async start(): Promise<SilentServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new SilentServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get connections(): number {
    return this.sockets.size;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

const NOOP = { type: 'NoOp' };

/** What happens once the clock has moved by an hour. */
const anHourLater = async (api: TestApi) => {
  api.clock.advance({ hours: 1 });
  await api.app.get(Scheduler).tick();
};
const createdBy = async (person: Person, destination: object = NOOP, body: object = {}): Promise<string> => {
  const made = { name: 'Hourly', interval: 'hour', destination, ...body };
  const answer = await person.post(person.path('batch_exports/'), made);
  expect(answer.status).toBe(201);
  return answer.body.id;
};
/** One of the past, which can be asked for again. @returns its id */
const endedRun = async (api: TestApi, id: string): Promise<string> => {
  const [run] = await api.rows<{ id: string }>(
    `INSERT INTO batch_export_runs (id, batch_export_id, status, data_interval_start, data_interval_end, created_at,
            finished_at, last_updated_at)
     VALUES (gen_random_uuid(), $1, 'Failed', '2025-01-01T00:00Z', '2025-01-01T01:00Z', now(), now(), now()) RETURNING id`,
    [id],
  );
  return run?.id ?? '';
};
const statesOf = async (api: TestApi, ids: readonly string[]) =>
  (
    await api.rows<{ status: string }>(
      'SELECT status FROM batch_export_runs WHERE batch_export_id = ANY($1) ORDER BY id',
      [ids],
    )
  ).map(({ status }) => status);
const count = (states: readonly string[], state: string) => states.filter((each) => each === state).length;

describe('Destinations that say nothing', () => {
  let api: TestApi;
  let silent: SilentServer;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    silent = await SilentServer.start();
    api = await TestApi.start({ ROLE: 'all', EXPORT_CONCURRENCY: '4' });
    api.clock.advance({ minutes: 90 - api.clock.now().getUTCMinutes() });
  });
  afterAll(async () => {
    await api.stop();
    await silent.stop();
  });

  it('keep no other organization from exporting, also one that comes when they hold what they may', async () => {
    const [attacker, victim] = [await api.owner(), await api.owner()];
    const http = { type: 'HTTP', config: { url: silent.url, token: 'phc_x' } };
    const ids: string[] = [];
    for (let each = 0; each < 10; each += 1) ids.push(await createdBy(attacker, http));
    const file = await createdBy(victim, { type: 'File', config: { prefix: 'b' } });
    await api.eventAt(attacker.projectId, api.clock.now());
    await api.eventAt(victim.projectId, api.clock.now());
    const first = await endedRun(api, file);
    await api.rows('UPDATE batch_exports SET next_run_at = NULL WHERE id = $1', [file]);
    await anHourLater(api);
    // They hold what they are given: all slots but one.
    await until(() => silent.connections === 3);
    expect(count(await statesOf(api, ids), 'Running')).toBe(3);
    await victim.post(victim.path(`batch_exports/${file}/runs/${first}/retry/`));
    await until(async () => (await statesOf(api, [file]))[0] === 'Completed');
    expect(silent.connections).toBe(3);
    expect(count(await statesOf(api, ids), 'Running')).toBe(3);
    expect(count(await statesOf(api, ids), 'Starting')).toBe(7);
  });
});

describe('Turns of runs', () => {
  const writer = new ScriptedWriter();
  let api: TestApi;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    api = await TestApi.start({ ROLE: 'all', EXPORT_CONCURRENCY: '4' }, [writer.provider]);
  });
  afterAll(() => api.stop());

  /** Whose runs are executed now: they end when the test says so. */
  const held: { id: string; projectId: number; end: () => void }[] = [];
  const started: string[] = [];

  beforeEach(async () => {
    writer.script = ({ batchExportId: id, projectId }) => {
      started.push(id);
      return new Promise((end) => held.push({ id, projectId, end }));
    };
    api.clock.advance({ minutes: 90 - api.clock.now().getUTCMinutes() });
  });
  afterEach(async () => {
    writer.script = async () => undefined;
    for (const { end } of held.splice(0)) end();
    await api.rows('UPDATE batch_exports SET paused = true');
    await api.rows(
      "UPDATE batch_export_runs SET status = 'Cancelled', finished_at = now() WHERE status <> 'Completed'",
    );
    await until(() => writer.active === 0);
    await until(() =>
      api.rows('DELETE FROM batch_exports').then(
        () => true,
        () => false,
      ),
    );
    started.length = 0;
  });
  /** Ends the first of them that is so, and waits until another one has its slot. */
  const next = async (which: (run: { projectId: number }) => boolean = () => true) => {
    const [run] = held.filter(which);
    if (!run) throw new Error('None of these is executed');
    held.splice(held.indexOf(run), 1);
    const before = started.length;
    run.end();
    await until(() => started.length > before);
    return started.at(-1);
  };
  const backfill = async (person: Person, id: string, hours: number) => {
    const end = new Date(Math.floor(api.clock.now().getTime() / 3_600_000) * 3_600_000);
    const start = new Date(end.getTime() - hours * 3_600_000);
    await api.eventAt(person.projectId, start);
    return person.post(person.path(`batch_exports/${id}/backfills/`), { start_at: start, end_at: end });
  };

  it('are shared by halves while others wait, however many there are of one', async () => {
    const [a, b] = [await api.owner(), await api.owner()];
    const many = await Promise.all(Array.from({ length: 8 }, () => createdBy(a)));
    const few = await Promise.all(Array.from({ length: 8 }, () => createdBy(b)));
    await anHourLater(api);
    await until(() => held.length === 4);
    const of = (person: Person) => held.filter(({ projectId }) => projectId === person.projectId).length;
    expect([of(a), of(b)]).toEqual([2, 2]);
    // Who gives one back has it again.
    expect(many).toContain(await next(({ projectId }) => projectId === a.projectId));
    expect(few).toContain(await next(({ projectId }) => projectId === b.projectId));
    expect([of(a), of(b)]).toEqual([2, 2]);
  });

  it('are shared over processes as well', async () => {
    const [a, b] = [await api.owner(), await api.owner()];
    const others = [new ScriptedWriter(), new ScriptedWriter()];
    for (const other of others) other.script = block;
    const workers = await Promise.all(
      others.map((other) => api.beside({ ROLE: 'worker', EXPORT_CONCURRENCY: '1' }, [other.provider])),
    );
    try {
      const slots = async () =>
        (
          await api.rows<{ sum: number }>(
            'SELECT sum(slots)::int AS sum FROM batch_export_workers WHERE seen_at > $1',
            [new Date(api.clock.now().getTime() - 30_000)],
          )
        )[0]?.sum;
      for (let each = 0; each < 10; each += 1) await createdBy(a);
      const id = await createdBy(b);
      api.clock.advance({ hours: 1 });
      await until(async () => (await slots()) === 6);
      await api.app.get(Scheduler).tick();
      const running = async (organizationId: string) =>
        (
          await api.rows("SELECT FROM batch_export_runs WHERE status = 'Running' AND organization_id = $1", [
            organizationId,
          ])
        ).length;
      // Of six slots one is had by the other organization, and one is kept for whoever comes.
      await until(async () => (await running(b.organizationId)) === 1);
      await until(async () => (await running(a.organizationId)) === 5);
      expect(await statesOf(api, [id])).toEqual(['Running']);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });

  it('go by projects within an organization', async () => {
    const a = await api.owner();
    const { body: project } = await a.post(`/api/organizations/${a.organizationId}/projects/`, {
      name: 'Second',
    });
    const flood = await Promise.all(Array.from({ length: 8 }, () => createdBy(a)));
    const second = async (body: object = {}) => {
      const made = { name: 'Hourly', interval: 'hour', destination: NOOP, ...body };
      return (await a.post(`/api/projects/${project.id}/batch_exports/`, made)).body.id as string;
    };
    await second({ interval: 'week' });
    await anHourLater(api);
    await until(() => held.length === 3);
    expect(held.every(({ id }) => flood.includes(id))).toBe(true);
    const id = await second();
    const run = await endedRun(api, id);
    await a.post(`/api/projects/${project.id}/batch_exports/${id}/runs/${run}/retry/`);
    await until(() => held.length === 4);
    expect(held.at(-1)?.id).toBe(id);
  });

  it('are those of the schedule, and every fourth one of a backfill', async () => {
    const a = await api.owner();
    await Promise.all(Array.from({ length: 12 }, () => createdBy(a)));
    const past = await createdBy(a, NOOP, { paused: true });
    expect((await backfill(a, past, 12)).status).toBe(201);
    await until(() => held.length === 2);
    // Those that wait for their turn are given to the schedule without a jump of the clock, which would end attempts.
    await api.rows('UPDATE batch_exports SET next_run_at = $1 WHERE NOT paused', [api.clock.now()]);
    await api.rows("UPDATE batch_exports SET scheduled_until = scheduled_until - interval '1 hour'");
    await api.app.get(Scheduler).tick();
    await until(() => held.length === 4);
    const order: boolean[] = [];
    for (let turn = 0; turn < 8; turn += 1) order.push((await next()) === past);
    expect(count(order.map(String), 'true')).toBeGreaterThanOrEqual(2);
    expect(count(order.map(String), 'false')).toBeGreaterThanOrEqual(5);
  });

  it('come to the backfills of each organization in turn, which leave a slot to the schedule', async () => {
    const [a, b] = [await api.owner(), await api.owner()];
    const many = await Promise.all(Array.from({ length: 6 }, () => createdBy(a, NOOP, { paused: true })));
    for (const id of many) expect((await backfill(a, id, 20)).status).toBe(201);
    await until(() => held.length === 3);
    const other = await createdBy(b, NOOP, { paused: true });
    expect((await backfill(b, other, 3)).status).toBe(201);
    await api.app.get(Scheduler).tick();
    expect(held).toHaveLength(3);
    expect(await next()).toBe(other);
    const due = await createdBy(b);
    await b.post(b.path(`batch_exports/${due}/runs/${await endedRun(api, due)}/retry/`));
    await until(() => held.length === 4);
    expect(held.at(-1)?.id).toBe(due);
  });

  it('are not lost to a run that cannot be started', async () => {
    const a = await api.owner();
    const ids = [await createdBy(a), await createdBy(a)];
    jest.spyOn(BatchExportRepository.prototype, 'findOf').mockRejectedValueOnce(new Error('unreadable'));
    const logged = jest.spyOn(Logger.prototype, 'error');
    await anHourLater(api);
    await until(() => held.length === 2);
    expect(held.map(({ id }) => id).sort()).toEqual([...ids].sort());
    expect(String(logged.mock.calls[0]?.[0])).toMatch(/^Error: Run \S+ cannot be started$/);
    jest.restoreAllMocks();
  });
});
