import { chmodSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabase, dropDatabase, urlOf } from '../support/database';
import { ServerProcess, until } from '../support/server-process';

jest.setTimeout(90_000);

const SECRET_KEY = 'a secret key for tests and for tests alone';

describe('Starting and stopping', () => {
  const servers: ServerProcess[] = [];
  const run = (env: NodeJS.ProcessEnv) => {
    const server = new ServerProcess(env);
    servers.push(server);
    return server;
  };
  const serve = async (env: NodeJS.ProcessEnv) => {
    const server = run(env);
    await server.ready();
    return server;
  };

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
  });

  describe('with the embedded database', () => {
    let folder: string;
    let dataDir: string;

    beforeEach(() => {
      // Private, and with a blank: as a clone under /root in a folder that somebody named.
      folder = mkdtempSync(join(tmpdir(), 'hedgerow start '));
      chmodSync(folder, 0o700);
      dataDir = join(folder, 'my data');
    });
    afterEach(() => {
      // As root the cluster may live elsewhere, at the end of a link.
      const cluster = realpathSync(join(dataDir, 'postgres'));
      rmSync(cluster, { recursive: true, force: true });
      rmSync(folder, { recursive: true, force: true });
    });

    const namesOf = async (server: ServerProcess, key: string) => {
      const list = (await (await server.request('/api/organizations/', { key })).json()) as {
        results: { name: string }[];
      };
      return list.results.map(({ name }) => name);
    };
    const create = async (server: ServerProcess, key: string, name: string) => {
      const answer = await server.request('/api/organizations/', {
        key,
        method: 'POST',
        body: JSON.stringify({ name }),
      });
      expect(answer.status).toBe(201);
    };

    it('makes a user, an organization and a project once, shows the key once, and keeps all of it', async () => {
      const first = await serve({ DATA_DIR: dataDir });
      const key = first.key ?? '';
      expect(key).toMatch(/^phx_[0-9A-Za-z]{40,}$/);
      expect(await namesOf(first, key)).toEqual(['My organization']);
      const me = (await (await first.request('/api/organizations/@current/', { key })).json()) as object;
      expect(me).toMatchObject({
        membership_level: 15,
        plugins_access_level: 9,
        teams: [{ name: 'Default project' }],
      });
      const log = await first.request('/api/organizations/@current/activity_log/?scope=Organization', {
        key,
      });
      expect(await log.json()).toMatchObject({
        results: [{ activity: 'created', user: null, detail: { trigger: { job_type: 'first_start' } } }],
      });
      expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
      expect(await first.stop()).toBe(0);

      const second = await serve({ DATA_DIR: dataDir });
      expect(second.key).toBeNull();
      expect(await namesOf(second, key)).toEqual(['My organization']);
    });

    it('takes the first key, address and organization from the settings, and does not show the key', async () => {
      const key = `phx_${'k'.repeat(32)}`;
      const server = await serve({
        DATA_DIR: dataDir,
        BOOTSTRAP_API_KEY: key,
        BOOTSTRAP_EMAIL: 'ada@example.com',
        BOOTSTRAP_ORGANIZATION: 'Analytical Engines',
      });
      expect(await namesOf(server, key)).toEqual(['Analytical Engines']);
      expect(server.output).not.toContain(key);
    });

    it.each(['process', 'group'] as const)(
      'loses nothing that was answered when the %s is killed',
      async (whom) => {
        const first = await serve({ DATA_DIR: dataDir });
        const key = first.key ?? '';
        await create(first, key, 'Survivor');
        await first.kill(whom);
        const second = await serve({ DATA_DIR: dataDir });
        expect(await namesOf(second, key)).toEqual(['My organization', 'Survivor']);
      },
    );

    it('refuses a second server on the same folder with one clear line', async () => {
      const first = await serve({ DATA_DIR: dataDir });
      const second = run({ DATA_DIR: dataDir });
      expect(await second.end()).toBe(1);
      const [line, ...rest] = second.output
        .trim()
        .split('\n')
        .filter((text) => text.startsWith('Hedgerow'));
      expect(line).toContain(dataDir);
      expect(line).toMatch(/in use by another Hedgerow/);
      expect(rest).toEqual([]);
      expect((await first.request('/_readyz')).status).toBe(200);
    });

    it('shows the key of a first start even where the port is taken', async () => {
      const taken = createServer().listen(0, '127.0.0.1');
      await until(() => taken.listening);
      const { port } = taken.address() as { port: number };
      const server = run({ DATA_DIR: dataDir, PORT: String(port) });
      expect(await server.end()).toBe(1);
      taken.close();
      expect(server.key).toMatch(/^phx_/);
      expect(server.output).toContain('Check HOST, PORT and METRICS_PORT.');
      const next = await serve({ DATA_DIR: dataDir });
      expect(await namesOf(next, server.key ?? '')).toEqual(['My organization']);
    });

    it('stops the database when it is stopped while it starts', async () => {
      const server = run({ DATA_DIR: dataDir });
      await until(() => server.output.includes('Starting PostgreSQL'));
      expect(await server.stop()).toBe(0);
      const next = await serve({ DATA_DIR: dataDir });
      expect(next.output).not.toContain('of an earlier start');
    });
  });

  describe('with a database of one’s own', () => {
    let database: string;
    let env: NodeJS.ProcessEnv;

    beforeEach(async () => {
      database = `hedgerow_start_${process.pid}_${Date.now()}`;
      await createDatabase(database, null);
      env = { DATABASE_URL: urlOf(database), SECRET_KEY };
    });
    afterEach(async () => {
      await Promise.all(servers.splice(0).map((server) => server.stop()));
      await dropDatabase(database);
    });

    it('lets several processes start at once on an empty one', async () => {
      const all = await Promise.all(Array.from({ length: 3 }, () => serve(env)));
      const keys = all.map(({ key }) => key).filter((key) => key !== null);
      expect(keys).toHaveLength(1);
      for (const server of all) {
        const list = await server.request('/api/organizations/', { key: keys[0] });
        expect(((await list.json()) as { count: number }).count).toBe(1);
      }
    });

    it('executes jobs alone as a worker, and sends callers elsewhere', async () => {
      const worker = await serve({ ...env, ROLE: 'worker' });
      expect((await worker.request('/_readyz')).status).toBe(200);
      expect((await worker.request('/_livez')).status).toBe(200);
      expect((await worker.request('/metrics')).status).toBe(200);
      for (const path of ['/api/organizations/', '/api/schema/', '/docs/', '/batch/']) {
        const answer = await worker.request(path, { key: worker.key });
        expect(answer.status).toBe(404);
        expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('ROLE=worker') });
      }
      expect(await worker.stop()).toBe(0);
    });

    it('drains on SIGTERM: answers what is in flight, takes nothing new, ends with 0', async () => {
      const server = await serve(env);
      const key = server.key ?? '';
      const blocker = new Client({ connectionString: urlOf(database) });
      await blocker.connect();
      await blocker.query('BEGIN; LOCK TABLE organizations IN EXCLUSIVE MODE');
      const body = JSON.stringify({ name: 'In flight' });
      const inFlight = server.request('/api/organizations/@current/', { key, method: 'PATCH', body });
      const waiting =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1";
      await until(async () => (await blocker.query(waiting, [database])).rows[0].n === 1);
      server.signal('SIGTERM');
      await until(() =>
        server.request('/_livez').then(
          () => false,
          () => true,
        ),
      );
      expect(server.ended).toBe(false);
      await blocker.query('COMMIT');
      await blocker.end();
      const answer = await inFlight;
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ name: 'In flight' });
      const answeredAt = Date.now();
      expect(await server.end()).toBe(0);
      // Not held up by connections that are kept alive.
      expect(Date.now() - answeredAt).toBeLessThan(4_000);
    });

    it('is ready only while the database answers', async () => {
      const server = await serve(env);
      expect((await server.request('/_readyz')).status).toBe(200);
      const admin = new Client({ connectionString: urlOf('postgres') });
      await admin.connect();
      await admin.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        database,
      ]);
      await until(async () => (await server.request('/_readyz')).status === 503);
      expect((await server.request('/_livez')).status).toBe(200);
      const refused = await server.request('/api/organizations/', { key: server.key });
      expect(refused.status).toBe(503);
      await admin.query(`ALTER DATABASE "${database}" ALLOW_CONNECTIONS true`);
      await admin.end();
      await until(async () => (await server.request('/_readyz')).status === 200);
      expect((await server.request('/api/organizations/', { key: server.key })).status).toBe(200);
    });
  });

  describe('with a wrong setting', () => {
    it.each([
      [{ PORT: 'http' }, 'PORT: "http" is not a port: a whole number from 0 to 65535.'],
      [{ DEFAULT_PREFER: 'all' }, 'DEFAULT_PREFER: "all" is not one of minimal, representation.'],
      [{ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/none' }, 'SECRET_KEY is missing'],
      [{ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/none', SECRET_KEY }, 'Check DATABASE_URL.'],
      [
        { DATABASE_URL: 'mysql://user:hunter2@db/none', SECRET_KEY },
        'DATABASE_URL: (its value is kept secret)',
      ],
      [{ BOOTSTRAP_API_KEY: 'phx_hunter2' }, 'BOOTSTRAP_API_KEY: (its value is kept secret)'],
    ])('%j does not start and says why', async (env, line) => {
      const server = run(env);
      expect(await server.end()).toBe(1);
      expect(server.output).toContain(`Hedgerow did not start. `);
      expect(server.output).toContain(line);
      expect(server.output).not.toContain('hunter2');
      expect(server.output).not.toMatch(/ {4}at /);
    });
  });
});
