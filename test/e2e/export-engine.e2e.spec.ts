import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { DeliveryFailed } from '../../src/batch-export/domain/delivery';
import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { RunRepository } from '../../src/batch-export/persistence/run.repository';
import { type Person, TestApi } from '../support/api';
import { block, ScriptedWriter, takeAll } from '../support/scripted-writer';
import { until } from '../support/server-process';

const HTTP = { type: 'HTTP', config: { url: 'https://example.com/batch/', token: 'phc_secret/1' } };
const NOWHERE = { type: 'NoOp', config: {} };
const transient = () => Promise.reject(new DeliveryFailed('503 with phc_secret/1 and phc_secret%2F1', true));

interface RunRow {
  readonly id: string;
  readonly status: string;
  readonly attempt: number;
  readonly failures: number;
  readonly records_completed: number | null;
  readonly records_total_count: number | null;
  readonly bytes: string | null;
  readonly cursor: string | null;
  readonly latest_error: string | null;
  readonly retry_at: Date | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly queued_at: Date | null;
}

describe('The execution of batch exports', () => {
  const writer = new ScriptedWriter();
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start({ ROLE: 'all', EXPORT_CONCURRENCY: '3' }, [writer.provider]);
    owner = await api.owner();
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    // Workers that are still writing what became of their runs may lock the same rows in another order.
    await until(() =>
      api.rows('DELETE FROM batch_exports').then(
        () => true,
        () => false,
      ),
    );
    await until(() => writer.active === 0);
    writer.script = takeAll;
    writer.deliveries.length = 0;
    writer.signals.length = 0;
    writer.mostActive = 0;
    // Half past an hour, so that no boundary passes unless the clock is moved.
    api.clock.advance({ minutes: 90 - api.clock.now().getUTCMinutes() });
  });

  const path = (id: string, operation = '') => owner.path(`batch_exports/${id}/${operation}`);
  const create = async (body: object = {}): Promise<string> => {
    const made = { name: 'Hourly', interval: 'hour', destination: HTTP, ...body };
    const { status, body: answer } = await owner.post(owner.path('batch_exports/'), made);
    expect(status).toBe(201);
    return answer.id;
  };
  const runsOf = (id: string) =>
    api.rows<RunRow>('SELECT * FROM batch_export_runs WHERE batch_export_id = $1 ORDER BY id', [id]);
  const runOf = async (id: string): Promise<RunRow> => {
    const [run] = await runsOf(id);
    if (!run) throw new Error('There is no run');
    return run;
  };
  const messagesOf = async (id: string): Promise<string[]> => {
    const { body } = await owner.preferring.get(path(id, 'logs/?limit=500'));
    return body.results
      .map(({ level, message }: { level: string; message: string }) => `${level} ${message}`)
      .reverse();
  };
  /** The first run of the export is in this state. */
  const comesTo = (id: string, ...statuses: string[]) =>
    until(async () => statuses.includes((await runsOf(id))[0]?.status ?? ''));
  /** What the next tick would do, now. */
  const tick = () => api.app.get(Scheduler).tick();
  const anHourLater = async () => {
    api.clock.advance({ hours: 1 });
    await tick();
  };
  /** An export whose first run is due. */
  const due = async (body: object = {}): Promise<string> => {
    const id = await create(body);
    await anHourLater();
    return id;
  };
  /** Goes on with a run that waits for its next attempt. */
  const retryNow = async (id: string) => {
    await comesTo(id, 'FailedRetryable');
    await api.rows('UPDATE batch_export_runs SET retry_at = $2 WHERE batch_export_id = $1', [
      id,
      api.clock.now(),
    ]);
    await tick();
  };
  const setUp = async (events: number) => {
    const person = await api.owner();
    const id = await person
      .post(person.path('batch_exports/'), { name: 'Hourly', interval: 'hour', destination: HTTP })
      .then(({ body }) => body.id as string);
    for (let number = 0; number < events; number += 1) await api.eventAt(person.projectId, api.clock.now());
    return { person, id };
  };

  it('fail for good when the query makes too much of an event', async () => {
    const columns = Array.from({ length: 60 }, (_, n) => `concat(properties.text, '${n}') AS c${n}`);
    const id = await create({ hogql_query: `SELECT ${columns} FROM events`, destination: NOWHERE });
    const big = { event: 'big', distinct_id: 'a', properties: { text: 'x'.repeat(3_000_000) } };
    const project = await owner.get(owner.projectPath(''));
    const body = { api_key: project.body.api_token, batch: [big] };
    expect((await api.anyone().post('/batch/', body)).status).toBe(200);
    await anHourLater();
    await comesTo(id, 'Failed');
    const told =
      'The query cannot be computed for these events: it makes a record of more than 48 MiB of an event.';
    expect(await runOf(id)).toMatchObject({ status: 'Failed', attempt: 1, latest_error: told });
    expect((await messagesOf(id)).at(-1)).toContain(told);
  });

  it('export what arrived in the interval, and tell how it went', async () => {
    const { person, id } = await setUp(3);
    await anHourLater();
    await api.eventAt(person.projectId, api.clock.now());
    await comesTo(id, 'Completed');
    const run = await runOf(id);
    expect(run).toMatchObject({
      attempt: 1,
      failures: 0,
      records_completed: 3,
      records_total_count: 3,
      latest_error: null,
      retry_at: null,
      queued_at: null,
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
    });
    expect(Number(run.bytes)).toBeGreaterThan(300);
    const [delivery] = writer.deliveries;
    expect(delivery).toMatchObject({
      batchExportId: id,
      runId: run.id,
      projectId: person.projectId,
      model: 'events',
      isQuery: false,
      cursor: null,
    });
    expect(delivery?.fields.map(({ name }) => name).slice(0, 3)).toEqual(['uuid', 'event', 'properties']);
    const { body } = await person.preferring.get(person.path(`batch_exports/${id}/logs/`));
    const messages = body.results.map(({ message }: { message: string }) => message);
    expect(messages).toEqual([
      expect.stringMatching(/^Completed: 3 records, \d+ bytes, in \d+\.\d seconds$/),
      expect.stringMatching(/^Attempt 1 started: data .* to HTTP: https:\/\/example.com\/batch\/$/),
    ]);
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    for (const line of [
      'batch_export_runs_total{status="Completed",destination="HTTP"}',
      'batch_export_records_total{destination="HTTP"} 3',
      'batch_export_bytes_total{destination="HTTP"}',
      'batch_export_run_duration_seconds_count{status="Completed",destination="HTTP"}',
    ]) {
      expect(metrics).toContain(line);
    }
  });

  it('let nothing arrive in an interval any more that is being exported', async () => {
    const { person, id } = await setUp(1);
    let closed: Date | undefined;
    writer.script = async (...delivery) => {
      const rows = await api.rows<{ until: Date }>(
        'SELECT until FROM closed_arrivals WHERE project_id = $1',
        [person.projectId],
      );
      closed = rows[0]?.until;
      await takeAll(...delivery);
    };
    await anHourLater();
    await comesTo(id, 'Completed');
    expect(closed).toEqual(writer.deliveries[0]?.interval.end);
  });

  it('filter by include_events and exclude_events', async () => {
    const { person, id } = await setUp(2);
    const config = { ...HTTP.config, include_events: ['seen', 'other'], exclude_events: ['seen'] };
    await person.patch(person.path(`batch_exports/${id}/`), { destination: { config } });
    await anHourLater();
    await comesTo(id, 'Completed');
    expect(await runOf(id)).toMatchObject({ records_completed: 0, records_total_count: 0 });
  });

  it('are tried again when what failed may pass, each time later, and go on where they came to', async () => {
    const { id } = await setUp(2);
    writer.script = async (delivery, progress) => {
      const lines = String((await (await delivery.read('json-lines')).toArray()).join(''))
        .trim()
        .split('\n');
      const { created_at, uuid } = JSON.parse(lines[0] ?? '');
      progress.wrote(1, 100);
      progress.reached(`${created_at}/${uuid}`);
      await progress.confirm();
      await transient();
    };
    await anHourLater();
    await comesTo(id, 'FailedRetryable');
    const first = await runOf(id);
    expect(first).toMatchObject({ attempt: 1, failures: 1, records_completed: 1, finished_at: null });
    expect(first.latest_error).toBe('503 with *** and ***.');
    expect(first.cursor).toMatch(/^2\d{3}-.*\/[0-9a-f-]{36}$/);
    expect((first.retry_at?.getTime() ?? 0) - api.clock.now().getTime()).toBeLessThanOrEqual(10_000);
    writer.script = takeAll;
    await retryNow(id);
    await comesTo(id, 'Completed');
    expect(await runOf(id)).toMatchObject({
      attempt: 2,
      failures: 1,
      records_completed: 2,
      records_total_count: 2,
      latest_error: null,
    });
    expect(writer.deliveries[1]?.cursor).toBe(first.cursor);
  });

  it('begin anew when the destination changes between two attempts', async () => {
    const { person, id } = await setUp(1);
    writer.script = async (_, progress) => {
      progress.reached('2025-01-01T00:00:00Z/x');
      await transient();
    };
    await anHourLater();
    await comesTo(id, 'FailedRetryable');
    const moved = { config: { url: 'https://b.example.com/batch/', token: 'other' } };
    expect((await person.patch(person.path(`batch_exports/${id}/`), { destination: moved })).status).toBe(
      200,
    );
    writer.script = takeAll;
    await retryNow(id);
    await comesTo(id, 'Completed');
    expect(writer.deliveries[1]?.cursor).toBeNull();
    expect(await runOf(id)).toMatchObject({ records_completed: 1 });
  });

  it('fail after ten attempts', async () => {
    writer.script = transient;
    const id = await due();
    for (let attempt = 1; attempt < 10; attempt += 1) {
      await until(async () => (await runsOf(id))[0]?.attempt === attempt);
      await retryNow(id);
    }
    await comesTo(id, 'Failed');
    expect(await runOf(id)).toMatchObject({
      attempt: 10,
      failures: 10,
      latest_error: '503 with *** and ***.',
    });
    const messages = await messagesOf(id);
    expect(messages.filter((message) => message.startsWith('WARNING Attempt'))).toHaveLength(9);
    expect(messages[1]).toMatch(
      /^WARNING Attempt 1 failed: 503 with \*\*\* and \*\*\*\. It is tried again at 2/,
    );
    expect(messages.at(-1)).toBe('ERROR Failed, after 10 attempts: 503 with *** and ***.');
  });

  it.each<[string, () => Promise<void>, string | RegExp]>([
    [
      'what the destination refuses',
      () => Promise.reject(new DeliveryFailed('No such bucket', false)),
      'No such bucket.',
    ],
    [
      'what nobody foresaw',
      () => Promise.reject(new Error('a detail of the inside')),
      /^Something went wrong in Hedgerow itself; its log says what, under [0-9a-f-]{36}\.$/,
    ],
  ])('fail at once for %s', async (_, script, error) => {
    const logged: string[] = [];
    jest.spyOn(Logger.prototype, 'error').mockImplementation((text) => logged.push(String(text)));
    writer.script = script;
    const id = await due();
    await comesTo(id, 'Failed');
    const run = await runOf(id);
    expect(run).toMatchObject({ attempt: 1, failures: 0, finished_at: expect.any(Date) });
    expect(run.latest_error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error));
    const reference = /under ([0-9a-f-]{36})/.exec(run.latest_error ?? '')?.[1];
    if (reference) expect(logged.join('\n')).toContain(`${reference}: run ${run.id}`);
    jest.restoreAllMocks();
  });

  it('are tried again when our own database was away, which counts as no failure', async () => {
    let attempts = 0;
    writer.script = async (...delivery) => {
      attempts += 1;
      if (attempts === 1)
        throw Object.assign(new Error('terminating connection'), { severity: 'FATAL', code: '57P01' });
      await takeAll(...delivery);
    };
    const id = await due();
    await comesTo(id, 'FailedRetryable');
    expect(await runOf(id)).toMatchObject({
      failures: 0,
      latest_error: 'The database of Hedgerow did not answer.',
    });
    await retryNow(id);
    await comesTo(id, 'Completed');
  });

  it('survive that the connection which they read by is cut', async () => {
    const { id } = await setUp(1);
    writer.script = async (delivery) => {
      const records = await delivery.read('json-lines');
      await api.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow export' AND datname = current_database()",
      );
      try {
        for await (const _ of records) await new Promise((resolve) => setTimeout(resolve, 50));
      } catch (error) {
        throw new DeliveryFailed(`The upload failed: ${error}`, false);
      }
      throw Object.assign(new Error('Connection terminated unexpectedly'), {});
    };
    await anHourLater();
    await comesTo(id, 'FailedRetryable');
    expect(await runOf(id)).toMatchObject({ failures: 0 });
    writer.script = takeAll;
    await retryNow(id);
    await comesTo(id, 'Completed');
  });

  it('end as they should when the database is away for the moment', async () => {
    const id = await due();
    const find = jest.spyOn(RunRepository.prototype, 'held');
    find.mockRejectedValueOnce(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    find.mockRejectedValueOnce(Object.assign(new Error('starting up'), { severity: 'FATAL', code: '57P03' }));
    await comesTo(id, 'Completed');
    expect(find).toHaveBeenCalledTimes(3);
    expect(await runOf(id)).toMatchObject({ attempt: 1 });
    jest.restoreAllMocks();
  });

  it('fail clearly when the secrets of the destination cannot be opened', async () => {
    const id = await create();
    await api.rows(
      "UPDATE batch_exports SET destination_secrets = decode(repeat('00', 40), 'hex') WHERE id = $1",
      [id],
    );
    await anHourLater();
    await comesTo(id, 'Failed');
    expect((await runOf(id)).latest_error).toMatch(
      /^A stored secret cannot be read: no key of SECRET_KEY opens it/,
    );
  });

  it('fail clearly when their type of destination is gone', async () => {
    const id = await create();
    await api.rows("UPDATE batch_exports SET destination_type = 'Snowflake' WHERE id = $1", [id]);
    await anHourLater();
    await comesTo(id, 'Failed');
    expect((await runOf(id)).latest_error).toContain('Snowflake');
  });

  describe('are ended while they run', () => {
    const running = async (body: object = {}) => {
      writer.script = block;
      const id = await due(body);
      await until(() => writer.active === 1);
      return id;
    };

    it.each([
      ['by cancel', (id: string) => runOf(id).then((run) => owner.post(path(id, `runs/${run.id}/cancel/`)))],
      ['by pause', (id: string) => owner.post(path(id, 'pause/'))],
      ['by PATCH of paused', (id: string) => owner.patch(path(id), { paused: true })],
      ['by DELETE', (id: string) => owner.delete(path(id))],
    ])('%s', async (_, stop) => {
      const id = await running();
      expect((await stop(id)).status).toBeLessThan(300);
      await until(() => writer.active === 0);
      expect(writer.signals[0]?.aborted).toBe(true);
      expect(await runOf(id)).toMatchObject({
        status: 'Cancelled',
        queued_at: null,
        finished_at: expect.any(Date),
      });
      const messages = await api.rows<{ message: string }>(
        "SELECT message FROM batch_export_log_entries WHERE batch_export_id = $1 AND message LIKE 'Cancelled%'",
        [id],
      );
      expect(messages).toHaveLength(1);
    });

    it('while their records are counted, which ends too', async () => {
      const lock = new Client({ connectionString: api.databaseUrl });
      await lock.connect();
      try {
        const id = await create();
        await lock.query('BEGIN; LOCK TABLE events');
        await anHourLater();
        const counts = () =>
          api.rows(
            "SELECT FROM pg_stat_activity WHERE application_name = 'hedgerow export' AND datname = current_database()",
          );
        await until(async () => (await counts()).length === 1);
        await owner.post(path(id, 'pause/'));
        await until(async () => (await counts()).length === 0);
        expect(await runOf(id)).toMatchObject({ status: 'Cancelled' });
      } finally {
        await lock.end();
      }
    });

    it('by the deletion of their organization, without a word', async () => {
      const { person, id } = await setUp(1);
      writer.script = block;
      await anHourLater();
      await until(() => writer.active === 1);
      const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
      expect((await person.delete(`/api/organizations/${person.organizationId}/`)).status).toBe(204);
      await until(() => writer.active === 0);
      expect(await runsOf(id)).toEqual([]);
      // The worker is free for others.
      writer.script = takeAll;
      await comesTo(await due(), 'Completed');
      expect(logged).not.toHaveBeenCalled();
      jest.restoreAllMocks();
    });

    it('though their writers do not listen: after seconds others have their places', async () => {
      const ends: (() => void)[] = [];
      writer.script = () => new Promise((end) => ends.push(end));
      const deaf = await Promise.all([1, 2, 3].map(() => create()));
      await anHourLater();
      await until(() => writer.active === 3);
      for (const id of deaf) await owner.post(path(id, 'pause/'));
      writer.script = takeAll;
      await comesTo(await due(), 'Completed');
      for (const end of ends) end();
      await until(() => writer.active === 0);
      for (const id of deaf) expect(await runOf(id)).toMatchObject({ status: 'Cancelled' });
    });

    it('before what cannot be taken back', async () => {
      let confirmed: unknown;
      let ask = () => {};
      const asked = new Promise<void>((resolve) => {
        ask = resolve;
      });
      writer.script = async (_, progress) => {
        await asked;
        confirmed = await progress.confirm().catch((error) => error.name);
        throw new Error('over');
      };
      const id = await due();
      await until(() => writer.active === 1);
      await owner.post(path(id, 'pause/'));
      ask();
      await until(() => writer.active === 0);
      expect(confirmed).toBe('RunLost');
      expect(await runOf(id)).toMatchObject({ status: 'Cancelled', latest_error: null });
    });
  });

  it('show how far they are while they run', async () => {
    const { id } = await setUp(2);
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    writer.script = async (_, progress) => {
      progress.wrote(1, 1234);
      await gone;
      progress.wrote(1, 1);
    };
    await anHourLater();
    await until(async () => (await runsOf(id))[0]?.records_completed === 1);
    expect(await runOf(id)).toMatchObject({ status: 'Running', records_total_count: 2, bytes: '1234' });
    go();
    await comesTo(id, 'Completed');
    expect(await runOf(id)).toMatchObject({ records_completed: 2, bytes: '1235' });
  });

  describe('of a worker that died', () => {
    /** Another worker has begun an attempt, and died half a minute ago. */
    const die = (id: string, heartbeat: number) =>
      api.rows(
        `UPDATE batch_export_runs SET status = 'Running', attempt = attempt + 1, heartbeat_at = $2 WHERE batch_export_id = $1`,
        [id, new Date(api.clock.now().getTime() - heartbeat * 1000)],
      );

    it('are taken over, and lost to it', async () => {
      writer.script = block;
      const id = await due();
      await until(() => writer.active === 1);
      writer.script = takeAll;
      await die(id, 31);
      await comesTo(id, 'Completed');
      await until(() => writer.active === 0);
      expect(writer.signals[0]?.reason).toMatchObject({ name: 'RunLost' });
      expect(await runOf(id)).toMatchObject({ attempt: 3, failures: 1 });
      expect((await messagesOf(id)).join('\n')).toContain(
        'WARNING Attempt 2 ended: Its worker was not heard of for 30 seconds. Another worker takes the run over.',
      );
    });

    it('are left alone while it may live', async () => {
      writer.script = block;
      const id = await due();
      await until(() => writer.active === 1);
      await die(id, 25);
      await tick();
      expect(await runOf(id)).toMatchObject({ status: 'Running', attempt: 2 });
    });

    it('fail when that has happened too often', async () => {
      writer.script = block;
      const id = await due();
      await until(() => writer.active === 1);
      await api.rows('UPDATE batch_export_runs SET failures = 9 WHERE batch_export_id = $1', [id]);
      await die(id, 31);
      await comesTo(id, 'Failed');
      expect((await runOf(id)).latest_error).toBe('Its worker was not heard of for 30 seconds');
    });
  });

  it('time out a day after their first start', async () => {
    writer.script = transient;
    const id = await due();
    await comesTo(id, 'FailedRetryable');
    await api.rows('UPDATE batch_export_runs SET started_at = $2 WHERE batch_export_id = $1', [
      id,
      new Date(api.clock.now().getTime() - 24 * 3_600_000 - 1000),
    ]);
    await comesTo(id, 'TimedOut');
    expect((await runOf(id)).latest_error).toBe(
      'Not completed within 24 hours of its first start. The last error: 503 with *** and ***.',
    );
  });

  it('pause the export after ten failures in a row, and say why', async () => {
    writer.script = () => Promise.reject(new DeliveryFailed('No such bucket', false));
    const id = await create();
    api.clock.advance({ hours: 9 });
    await until(async () => (await runsOf(id)).filter(({ status }) => status === 'Failed').length === 9);
    writer.script = takeAll;
    await anHourLater();
    await until(async () => (await runsOf(id)).some(({ status }) => status === 'Completed'));
    expect((await owner.get(path(id))).body.paused).toBe(false);
    writer.script = () => Promise.reject(new DeliveryFailed('No such bucket', false));
    api.clock.advance({ hours: 15 });
    await until(async () => (await owner.get(path(id))).body.paused);
    await until(() => writer.active === 0);
    const states = (await runsOf(id)).slice(10).map(({ status }) => status);
    expect(states.filter((state) => state === 'Failed')).toHaveLength(10);
    expect(states.every((state) => ['Failed', 'Cancelled'].includes(state))).toBe(true);
    const said = (await messagesOf(id)).filter((message) => message.includes('paused: 10'));
    expect(said).toEqual([
      expect.stringMatching(/^ERROR The batch export is paused: 10 of its runs in a row have failed/),
    ]);
    expect((await owner.get(path(id))).body.last_paused_at).toEqual(expect.any(String));
  });

  describe('for backfills', () => {
    const backfill = async (id: string, hours: number) => {
      const end = new Date(Math.floor(api.clock.now().getTime() / 3_600_000) * 3_600_000);
      const start = new Date(end.getTime() - hours * 3_600_000);
      await api.eventAt(owner.projectId, start);
      const answer = await owner.preferring.post(path(id, 'backfill/'), { start_at: start, end_at: end });
      expect(answer.status).toBe(200);
      return answer.body.id as string;
    };
    const backfillOf = async (id: string) =>
      (
        await api.rows('SELECT status, total_runs, finished_at FROM batch_export_backfills WHERE id = $1', [
          id,
        ])
      )[0];
    const finishes = (id: string) => until(async () => (await backfillOf(id))?.finished_at !== null);

    it('go two at a time, the oldest data first, and end the backfill', async () => {
      const starts: number[] = [];
      writer.script = async (delivery) => {
        const place = starts.push(delivery.interval.start.getTime());
        // Each waits for the one beside it, so that there are two at once however fast they are.
        await until(() => starts.length >= 2 * Math.ceil(place / 2));
      };
      const id = await create({ paused: true });
      const made = await backfill(id, 12);
      await finishes(made);
      expect(await backfillOf(made)).toMatchObject({ status: 'Completed', total_runs: 12 });
      expect(writer.mostActive).toBe(2);
      expect(starts).toHaveLength(12);
      // Of two that start side by side either may be the first.
      for (const [index, start] of starts.entries()) {
        expect(Math.abs((start - Math.min(...starts)) / 3_600_000 - index)).toBeLessThanOrEqual(1);
      }
      expect((await messagesOf(id)).at(-1)).toBe(
        'INFO Backfill finished: 12 runs completed, 0 failed, 0 cancelled',
      );
    });

    it('end it as failed when one of them failed', async () => {
      const id = await create({ paused: true });
      let runs = 0;
      writer.script = async () => {
        runs += 1;
        if (runs === 2) throw new DeliveryFailed('No', false);
      };
      const made = await backfill(id, 3);
      await finishes(made);
      expect(await backfillOf(made)).toMatchObject({ status: 'Failed', total_runs: 3 });
      expect((await messagesOf(id)).at(-1)).toBe(
        'WARNING Backfill finished: 2 runs completed, 1 failed, 0 cancelled',
      );
    });

    it('are cancelled with it', async () => {
      writer.script = block;
      const id = await create({ paused: true });
      const made = await backfill(id, 5);
      await until(() => writer.active === 2);
      expect((await owner.post(path(id, `backfills/${made}/cancel/`))).status).toBe(200);
      await until(() => writer.active === 0);
      expect((await runsOf(id)).map(({ status }) => status)).toEqual(Array(5).fill('Cancelled'));
      expect(await backfillOf(made)).toMatchObject({ status: 'Cancelled' });
    });
  });

  it('are handed on when their process stops, which counts as no failure', async () => {
    const second = new ScriptedWriter();
    second.script = block;
    writer.script = block;
    const ids = await Promise.all(Array.from({ length: 6 }, () => create()));
    const worker = await api.beside({ ROLE: 'worker', EXPORT_CONCURRENCY: '3' }, [second.provider]);
    await anHourLater();
    await until(() => writer.active === 3 && second.active === 3);
    const begun = Date.now();
    await worker.stop();
    expect(Date.now() - begun).toBeLessThan(8_000);
    expect(second.active).toBe(0);
    const rows = (await Promise.all(ids.map(runsOf))).flat();
    const handedOn = rows.filter(({ status }) => status === 'Starting');
    expect(handedOn).toHaveLength(3);
    for (const run of handedOn) {
      expect(run).toMatchObject({ attempt: 1, failures: 0, retry_at: null, queued_at: expect.any(Date) });
    }
    await Promise.all(ids.map((id) => owner.post(path(id, 'pause/'))));
  });

  it('of a thousand exports happen once each, by two processes', async () => {
    const second = new ScriptedWriter();
    const id = await create({ destination: { type: 'NoOp' } });
    await api.rows(
      `INSERT INTO batch_exports (id, organization_id, project_id, name, model, destination_type, destination_config,
              interval, paused, created_at, last_updated_at, deleted, scheduled_until, next_run_at)
       SELECT gen_random_uuid(), organization_id, project_id, name, model, destination_type, destination_config,
              e.interval, paused, created_at, last_updated_at, deleted, scheduled_until, next_run_at
         FROM batch_exports e, generate_series(1, 999) WHERE id = $1`,
      [id],
    );
    const worker = await api.beside({ ROLE: 'worker' }, [second.provider]);
    await anHourLater();
    const open = async () =>
      (
        await api.rows<{ done: number }>(
          "SELECT count(*)::int AS done FROM batch_export_runs WHERE status = 'Completed'",
        )
      )[0]?.done;
    while ((await open()) !== 1000) await new Promise((resolve) => setTimeout(resolve, 100));
    await worker.stop();
    const delivered = [...writer.deliveries, ...second.deliveries].map(({ batchExportId }) => batchExportId);
    expect(delivered).toHaveLength(1000);
    expect(new Set(delivered).size).toBe(1000);
    expect(second.deliveries.length).toBeGreaterThan(100);
  }, 120_000);
});
