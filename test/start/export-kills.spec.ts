import { gunzipSync } from 'node:zlib';
import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { EventStore } from '../../src/event/index';
import { type Person, TestApi } from '../support/api';
import { S3_KEYS, S3Server } from '../support/s3-server';
import { ServerProcess, until } from '../support/server-process';
import { TargetDatabase } from '../support/target-database';
import { TcpProxy } from '../support/tcp-proxy';

jest.setTimeout(120_000);

const HOUR = { start_at: '2026-01-05T10:00:00Z', end_at: '2026-01-05T11:00:00Z' };
const EVENTS = 30_000;
/** Random, so that gzip leaves enough of it for several parts. */
const noise = () => Array.from({ length: 60 }, () => Math.random().toString(36)).join('');

/** Workers in processes of their own, that are killed while they export. */
describe('A worker that is killed', () => {
  let api: TestApi;
  let owner: Person;
  let uuids: string[];
  const workers: ServerProcess[] = [];

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    const store = api.app.get(EventStore);
    const arrivedAt = new Date('2026-01-05T10:30:00Z');
    uuids = Array.from({ length: EVENTS }, (_, number) => uuidOf(number));
    for (let first = 0; first < EVENTS; first += 1000) {
      const events = uuids.slice(first, first + 1000).map((uuid, number) => ({
        uuid,
        event: `event ${number % 7}`,
        distinctId: `visitor ${number % 100}`,
        properties: { number: first + number, noise: noise() },
        timestamp: arrivedAt,
      }));
      await store.append(owner.projectId, events, arrivedAt);
    }
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    api.clock.reset();
  });
  afterAll(() => api.stop());

  const startWorker = async (): Promise<ServerProcess> => {
    const worker = new ServerProcess({
      ROLE: 'worker',
      DATABASE_URL: api.databaseUrl,
      SECRET_KEY: 'a secret key for tests and for tests alone',
    });
    workers.push(worker);
    await worker.ready();
    return worker;
  };

  const backfill = async (destination: object): Promise<string> => {
    const details = { name: 'Killed', interval: 'hour', paused: true, destination };
    const { body } = await owner.post(owner.projectPath('batch_exports/'), details);
    const created = await owner.post(owner.projectPath(`batch_exports/${body.id}/backfills/`), HOUR);
    expect(created.status).toBe(201);
    return body.id;
  };
  const runOf = async (id: string) => {
    const { body } = await owner.get(owner.projectPath(`batch_exports/${id}/runs/`));
    return body.results[0];
  };

  /** Kills the worker, lets its silence grow old, and has another one go on. */
  const killAndTakeOver = async (worker: ServerProcess, id: string) => {
    expect((await runOf(id)).status).toBe('Running');
    await worker.kill();
    api.clock.advance({ seconds: 31 });
    await api.app.get(Scheduler).tick();
    expect((await runOf(id)).status).toBe('Starting');
    await startWorker();
    await until(async () => !['Starting', 'Running'].includes((await runOf(id)).status));
    return runOf(id);
  };

  it('in the middle of an upload to S3 leaves every record there once', async () => {
    const s3 = await S3Server.start();
    try {
      let stuck = false;
      s3.fault = ({ operation, number }) => {
        if (operation !== 'UploadPart' || number < 2) return undefined;
        stuck = true;
        return 'silence';
      };
      const id = await backfill({
        type: 'S3',
        config: {
          bucket_name: s3.bucket,
          region: 'us-east-1',
          prefix: 'killed',
          compression: 'gzip',
          endpoint_url: s3.url,
          aws_access_key_id: S3_KEYS.accessKeyId,
          aws_secret_access_key: S3_KEYS.secretAccessKey,
        },
      });
      const worker = await startWorker();
      await until(() => stuck);
      s3.fault = () => undefined;
      const run = await killAndTakeOver(worker, id);
      expect(run).toMatchObject({
        status: 'Completed',
        records_completed: EVENTS,
        records_total_count: EVENTS,
      });
      expect([...s3.uploads.values()]).toEqual([]);
      const objects = [...s3.objects.values()];
      expect(objects).toHaveLength(1);
      const lines = gunzipSync(objects[0]?.body ?? Buffer.alloc(0))
        .toString()
        .trimEnd()
        .split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid).sort()).toEqual(uuids);
    } finally {
      await s3.stop();
    }
  });

  it('in the middle of a COPY leaves every record there once', async () => {
    const target = await TargetDatabase.create();
    const proxy = await TcpProxy.to(target.port);
    try {
      let bytes = 0;
      proxy.up = (chunk) => {
        bytes += chunk.length;
        return bytes > 4_000_000 ? 'hold' : 'pass';
      };
      const config = target.config({ port: proxy.port });
      const id = await backfill({ type: 'Postgres', config });
      const worker = await startWorker();
      await until(() => bytes > 4_000_000);
      proxy.up = () => 'pass';
      const run = await killAndTakeOver(worker, id);
      expect(run).toMatchObject({ status: 'Completed', records_completed: EVENTS });
      const rows = await target.rows<{ uuid: string }>('SELECT uuid FROM events ORDER BY uuid');
      expect(rows.map(({ uuid }) => uuid)).toEqual(uuids);
      const tables = await target.rows(
        "SELECT FROM pg_class WHERE relname LIKE '%staging%' AND relkind = 'r'",
      );
      expect(tables).toHaveLength(0);
    } finally {
      await proxy.stop();
      await target.drop();
    }
  });

  it('is asked to stop instead hands its run on at once', async () => {
    const target = await TargetDatabase.create();
    const proxy = await TcpProxy.to(target.port);
    try {
      let held = false;
      proxy.up = (chunk) => {
        if (chunk.length < 10_000) return 'pass';
        held = true;
        return 'hold';
      };
      const config = target.config({ port: proxy.port });
      const id = await backfill({ type: 'Postgres', config });
      const worker = await startWorker();
      await until(() => held);
      proxy.up = () => 'pass';
      expect(await worker.stop()).toBe(0);
      expect((await runOf(id)).status).toBe('Starting');
      await startWorker();
      await until(async () => (await runOf(id)).status === 'Completed');
      const [row] = await target.rows<{ count: number }>(
        'SELECT count(DISTINCT uuid)::int AS count FROM events',
      );
      expect(row?.count).toBe(EVENTS);
    } finally {
      await proxy.stop();
      await target.drop();
    }
  });
});

const uuidOf = (number: number): string => `0195b1f4-7c1c-7000-8000-${number.toString(16).padStart(12, '0')}`;
