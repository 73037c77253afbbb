import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDatabase, dropDatabase, urlOf } from '../support/database';
import { sendRaw } from '../support/raw-http';
import { ServerProcess, until } from '../support/server-process';

jest.setTimeout(90_000);

const SECRET_KEY = 'a secret key for tests and for tests alone';
const PATH = '/api/organizations/@current/';

/** Those that a process has started and that have not ended. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has ended.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

describe('WEB_CONCURRENCY', () => {
  const servers: ServerProcess[] = [];
  let database: string;
  let env: NodeJS.ProcessEnv;

  const run = (more: NodeJS.ProcessEnv = {}) => {
    const server = new ServerProcess({ ...env, WEB_CONCURRENCY: '2', ...more });
    servers.push(server);
    return server;
  };
  const serve = async (more: NodeJS.ProcessEnv = {}) => {
    const server = run(more);
    await server.ready();
    return server;
  };
  /** On a connection of its own, so that it may reach any process. @returns the body */
  const get = async (server: ServerProcess, path: string) => {
    const key = server.key === null ? '' : `Authorization: Bearer ${server.key}\r\n`;
    const [answer] = await sendRaw(
      server.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\n${key}Connection: close\r\n\r\n`,
    );
    return answer;
  };
  /** The processes that have answered for organizations, as the log tells. */
  const servedBy = (server: ServerProcess) => {
    const lines = server.output.matchAll(/^\{.*"pid":(\d+).*"path":"\/api\/organizations.*$/gm);
    return new Set([...lines].map(([, pid]) => Number(pid)));
  };
  const startedBeside = async (server: ServerProcess, other: number) => {
    await until(() => childrenOf(server.pid).length === 2);
    return childrenOf(server.pid).find((pid) => pid !== other) ?? 0;
  };
  /** How many GETs of PATH the metrics tell of. */
  const counted = (metrics: string | undefined) =>
    Number(
      /^http_request_duration_seconds_count\{method="GET",route="\/api\/organizations\/:\w+",status="200"\} (\d+)$/m.exec(
        metrics ?? '',
      )?.[1] ?? 0,
    );
  /** Has a request wait for a lock until `release`. */
  const holdRequest = async (server: ServerProcess) => {
    const blocker = new Client({ connectionString: urlOf(database) });
    await blocker.connect();
    blocker.on('error', () => undefined);
    await blocker.query('BEGIN; SELECT FROM organizations FOR NO KEY UPDATE');
    const body = JSON.stringify({ name: 'In flight' });
    const answer = server.request(PATH, { key: server.key, method: 'PATCH', body });
    answer.catch(() => undefined);
    const waiting =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = $1";
    await until(async () => (await blocker.query(waiting, [database])).rows[0].n === 1);
    const release = async () => {
      await blocker.query('COMMIT');
      await blocker.end();
    };
    return { answer, release };
  };

  beforeEach(async () => {
    database = `hedgerow_processes_${process.pid}_${Date.now()}`;
    await createDatabase(database, null);
    env = { DATABASE_URL: urlOf(database), SECRET_KEY };
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    await dropDatabase(database);
  });

  it('serves one port from so many processes, says so once, and shows one key', async () => {
    const server = await serve({ WEB_CONCURRENCY: '3', LOG_LEVEL: 'info' });
    const workers = childrenOf(server.pid);
    expect(workers).toHaveLength(3);
    await until(async () => {
      expect((await get(server, PATH))?.status).toBe(200);
      return servedBy(server).size === 3;
    });
    expect([...servedBy(server)].sort()).toEqual(workers.sort());
    expect(server.output.match(/Hedgerow serves/g)).toHaveLength(1);
    expect(server.output.match(/shown this once/g)).toHaveLength(1);
    expect(await server.stop()).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });

  it('tells what all of them have counted, on a port of its own as well', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await until(() => probe.listening);
    const { port } = probe.address() as { port: number };
    await new Promise((closed) => probe.close(closed));
    const server = await serve({ METRICS_PORT: String(port) });
    for (let count = 0; count < 7; count += 1) await get(server, PATH);
    // Whichever of them is asked.
    for (let count = 0; count < 4; count += 1) {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
      expect(counted(await answer.text())).toBe(7);
    }
    expect((await get(server, '/metrics'))?.status).toBe(404);
  });

  it('goes on when one of them dies, starts another, and keeps what it had counted', async () => {
    const server = await serve({ LOG_LEVEL: 'info' });
    const scrape = async () => counted((await get(server, '/metrics'))?.body);
    for (let count = 0; count < 5; count += 1) await get(server, PATH);
    expect(await scrape()).toBe(5);
    const [first = 0, second = 0] = childrenOf(server.pid);
    process.kill(first, 'SIGKILL');
    // Until the first process knows, it may hand a connection to the dead one, where nobody answers it.
    await until(() => server.output.includes('another one is started'));
    for (let count = 0; count < 5; count += 1) expect((await get(server, PATH))?.status).toBe(200);
    expect(await scrape()).toBe(10);
    const third = await startedBeside(server, second);
    let sent = 10;
    await until(async () => {
      expect((await get(server, PATH))?.status).toBe(200);
      sent += 1;
      return servedBy(server).has(third);
    });
    expect(await scrape()).toBe(sent);
    // It can do without the older one.
    process.kill(second, 'SIGTERM');
    await until(() => !isAlive(second));
    expect((await get(server, PATH))?.status).toBe(200);
    expect(server.output.match(/Hedgerow serves/g)).toHaveLength(1);
  });

  it.each(['process', 'group'] as const)('drains all of them on SIGTERM to the %s', async (whom) => {
    const server = await serve();
    const workers = childrenOf(server.pid);
    const { answer, release } = await holdRequest(server);
    process.kill(whom === 'group' ? -server.pid : server.pid, 'SIGTERM');
    // The one that has nothing to answer need not wait; the other one does.
    await until(() => workers.filter(isAlive).length === 1);
    expect(server.ended).toBe(false);
    await release();
    expect(await (await answer).json()).toMatchObject({ name: 'In flight' });
    expect(await server.end()).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });

  it('ends all of them at once on a second signal', async () => {
    const server = await serve();
    const workers = childrenOf(server.pid);
    const { answer, release } = await holdRequest(server);
    server.signal('SIGINT');
    await until(() => workers.filter(isAlive).length === 1);
    server.signal('SIGINT');
    expect(await server.end()).toBe(1);
    await until(() => workers.filter(isAlive).length === 0);
    await expect(answer).rejects.toThrow();
    await release();
  });

  it('leaves none behind when the first process is killed: they answer what they have, and end', async () => {
    const server = await serve();
    const workers = childrenOf(server.pid);
    const { answer, release } = await holdRequest(server);
    await server.kill();
    await until(() => workers.filter(isAlive).length === 1);
    await release();
    expect((await answer).status).toBe(200);
    await until(() => workers.filter(isAlive).length === 0);
  });

  it('says once why they do not start, and ends with 1', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await until(() => taken.listening);
    const { port } = taken.address() as { port: number };
    const server = run({ PORT: String(port) });
    const ended = server.end();
    expect(await ended).toBe(1);
    taken.close();
    expect(server.output.match(/Hedgerow did not start/g)).toHaveLength(1);
    expect(server.output).toContain('EADDRINUSE');
    expect(server.output).toContain('Check HOST, PORT and METRICS_PORT.');
    expect(server.output).not.toMatch(/ {4}at /);
  });

  it('says why not when one of them is killed before it serves', async () => {
    const server = run();
    await until(() => childrenOf(server.pid).length > 0);
    for (const pid of childrenOf(server.pid)) process.kill(pid, 'SIGKILL');
    expect(await server.end()).toBe(1);
    expect(server.output).toContain('did not start. A process that was to serve was ended by SIGKILL');
  });

  it('stops while they start', async () => {
    const server = run();
    await until(() => childrenOf(server.pid).length === 2);
    const workers = childrenOf(server.pid);
    expect(await server.stop()).toBe(0);
    expect(workers.filter(isAlive)).toEqual([]);
  });

  it('keeps one embedded database for all, which ends after them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hedgerow-processes-'));
    env = { DATA_DIR: folder };
    const server = await serve();
    expect((await get(server, PATH))?.status).toBe(200);
    const pidFile = join(folder, 'postgres', 'postmaster.pid');
    const postmaster = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    expect(await server.stop()).toBe(0);
    expect(isAlive(postmaster)).toBe(false);
    rmSync(realpathSync(join(folder, 'postgres')), { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });
});
