import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/shared/persistence/embedded-postgres/index';
import { S3_KEYS, S3Server } from '../support/s3-server';
import { ServerProcess, until } from '../support/server-process';

jest.setTimeout(120_000);

const KEY = `phx_${'0123456789abcdef'.repeat(3)}`;

/** On a PostgreSQL of its own, which a test may take down. */
describe('PostgreSQL that restarts in the middle of a run', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let server: ServerProcess;
  let s3: S3Server;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hedgerow-restart-'));
    postgres = await EmbeddedPostgres.start({ directory: folder });
    s3 = await S3Server.start();
    server = new ServerProcess({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a secret key for tests and for tests alone',
      BOOTSTRAP_API_KEY: KEY,
    });
    await server.ready();
  });
  afterAll(async () => {
    await server.stop();
    await s3.stop();
    await postgres.stop();
    rmSync(realpathSync(join(folder, 'postgres')), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async (method: string, path: string, body?: object) => {
    const answer = await server.request(path, {
      method,
      key: KEY,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the shapes are checked where the routes are tested
    return { status: answer.status, body: (await answer.json().catch(() => null)) as any };
  };

  it('keeps nothing from the destination, and nothing twice', async () => {
    const projects = await call('GET', '/api/projects/');
    const [{ id: projectId, api_token }] = projects.body.results;
    const batch = Array.from({ length: 500 }, (_, number) => ({
      event: 'bought',
      distinct_id: `visitor ${number}`,
      properties: { number },
    }));
    expect((await call('POST', '/batch/', { api_key: api_token, batch })).body).toMatchObject({
      accepted: 500,
    });
    const base = `/api/projects/${projectId}/batch_exports/`;
    const created = await call('POST', base, {
      name: 'Restarted',
      interval: 'every 5 minutes',
      paused: true,
      destination: {
        type: 'S3',
        config: {
          bucket_name: s3.bucket,
          region: 'us-east-1',
          prefix: 'restarted',
          endpoint_url: s3.url,
          aws_access_key_id: S3_KEYS.accessKeyId,
          aws_secret_access_key: S3_KEYS.secretAccessKey,
        },
      },
    });
    expect(created.status).toBe(201);
    const { id } = created.body;
    // The upload waits for the test, and PostgreSQL goes down meanwhile.
    let release = () => {};
    let uploading = false;
    s3.fault = async ({ operation }) => {
      if (operation !== 'PutObject') return undefined;
      uploading = true;
      await new Promise<void>((go) => {
        release = go;
      });
      return undefined;
    };
    // As if they had arrived an hour ago: what has just arrived is in an interval that is still open.
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query("UPDATE events SET created_at = created_at - interval '1 hour'");
    const { rows } = await client.query(
      "SELECT date_trunc('hour', min(created_at)) AS first, date_trunc('hour', max(created_at)) + interval '1 hour' AS last FROM events",
    );
    const range = { start_at: rows[0].first, end_at: rows[0].last };
    expect((await call('POST', `${base}${id}/backfills/`, range)).status).toBe(201);
    await until(() => uploading);

    client.on('error', () => undefined);
    crash(folder);
    release();
    s3.fault = () => undefined;

    const runs = async () => (await call('GET', `${base}${id}/runs/?limit=100`)).body?.results ?? [];
    await until(async () => {
      const all = await runs();
      return all.length > 0 && all.every(({ status }: { status: string }) => status === 'Completed');
    }, 90);
    const lines = [...s3.objects.values()].flatMap(({ body }) => body.toString().trimEnd().split('\n'));
    const numbers = lines.map(
      (line) => (JSON.parse(line) as { properties: { number: number } }).properties.number,
    );
    expect(numbers.sort((a, b) => a - b)).toEqual(batch.map((_, number) => number));
    await client.end().catch(() => undefined);
  });

  /** As after a crash of one of its processes, PostgreSQL ends every connection, recovers, and serves again. */
  function crash(directory: string): void {
    const pid = Number(readFileSync(join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
    const isBackend = (child: number) =>
      / hedgerow .*(idle|SELECT|COPY)/.test(
        readFileSync(`/proc/${child}/cmdline`, 'utf8').replaceAll('\0', ' '),
      );
    const backend = children.find(isBackend);
    if (backend === undefined) throw new Error('No backend to kill');
    process.kill(backend, 'SIGKILL');
  }
});
