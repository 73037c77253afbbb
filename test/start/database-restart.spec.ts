import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/shared/persistence/embedded-postgres/index';
import { ServerProcess, until } from '../support/server-process';

jest.setTimeout(120_000);

const KEY = `phx_${'0123456789abcdef'.repeat(3)}`;
const CLIENTS = 30;

/** On a PostgreSQL of its own, which a test may take down. */
describe('PostgreSQL that restarts under load', () => {
  let folder: string;
  let postgres: EmbeddedPostgres;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hedgerow-under-load-'));
    postgres = await EmbeddedPostgres.start({ directory: folder });
    server = new ServerProcess({
      DATABASE_URL: postgres.url,
      SECRET_KEY: 'a secret key for tests and for tests alone',
      BOOTSTRAP_API_KEY: KEY,
      DATABASE_POOL_SIZE: '3',
      LOG_LEVEL: 'silent',
    });
    await server.ready();
  });
  afterAll(async () => {
    await server?.stop();
    await postgres?.stop();
    rmSync(realpathSync(join(folder, 'postgres')), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });

  const connected = async () => {
    const client = new Client({ connectionString: postgres.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  it('is answered 503 for, with Retry-After, and served again within five seconds', async () => {
    const answers: { status: number; retryAfter: string | null }[] = [];
    let isOver = false;
    const ask = async () => {
      while (!isOver) {
        const { status, headers } = await server.request('/api/organizations/@current/', { key: KEY });
        answers.push({ status, retryAfter: headers.get('Retry-After') });
      }
    };
    const clients = Array.from({ length: CLIENTS }, ask);
    await until(() => answers.length > 2 * CLIENTS);

    // As after a crash of one of its processes, PostgreSQL ends every connection, recovers, and serves again.
    const victim = await connected();
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await until(() => answers.some(({ status }) => status === 503));
    await until(async () => {
      try {
        await (await connected()).end();
        return true;
      } catch {
        return false;
      }
    });
    const back = Date.now();
    const before = answers.length;
    await until(() => answers.slice(before).some(({ status }) => status === 200));
    expect(Date.now() - back).toBeLessThan(5_000);
    expect((await server.request('/_readyz')).status).toBe(200);
    isOver = true;
    await Promise.all(clients);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.filter(({ retryAfter }) => !/^[1-9]\d*$/.test(retryAfter ?? ''))).toEqual([]);
  });
});
