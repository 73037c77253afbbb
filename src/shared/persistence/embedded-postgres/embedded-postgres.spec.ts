import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import {
  DataDirectoryInUse,
  EmbeddedPostgres,
  EmbeddedPostgresFailed,
  type EmbeddedPostgresOptions,
} from '.';
import { findPostmaster, stopPostmaster } from './postmaster';
import { waitUntil } from './wait';

const CHILD = resolve('test/start/embedded-postgres-child.js');
/** What only root can meet is no test for an ordinary user. */
const asRoot = (name: string, test: () => Promise<void>): void => {
  if (process.getuid?.() === 0) it(name, test);
};

let parent: string;
/** Where a test starts PostgreSQL: new for each one, unless it says `usedBefore()`. */
let directory: string;
let used: string;
let started: EmbeddedPostgres[];
let children: ChildProcess[];

beforeAll(async () => {
  used = await openFolder();
  await (await EmbeddedPostgres.start({ directory: used, durable: false })).stop();
});

afterAll(() => rm(used, { recursive: true, force: true }));

beforeEach(async () => {
  parent = await openFolder();
  directory = join(parent, 'data');
  started = [];
  children = [];
});

afterEach(async () => {
  for (const child of children) await kill(child);
  for (const postgres of started) await postgres.stop();
  const data = await realpath(join(directory, 'postgres')).catch(() => undefined);
  const orphan = data && (await findPostmaster(data));
  if (data && orphan) await stopPostmaster(orphan.pid, data);
  if (data && directory !== used) await rm(data, { recursive: true, force: true });
  await rm(parent, { recursive: true, force: true });
});

/** As mkdtemp makes it, the OS user that runs PostgreSQL could not enter. */
async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hedgerow-spec-'));
  await chmod(folder, 0o755);
  return folder;
}

/** For tests that need no first start, which takes most of a second. */
function usedBefore(): void {
  directory = used;
}

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await EmbeddedPostgres.start({ directory, durable: false, ...options });
  started.push(postgres);
  return postgres;
}

/** Writes a row, and returns what `rows` must find again. */
async function writeRow(url: string | undefined): Promise<number> {
  const value = randomInt(2 ** 31);
  await query(url, 'CREATE TABLE IF NOT EXISTS kept (value integer)');
  await query(url, `INSERT INTO kept VALUES (${value})`);
  return value;
}

function rows(url: string): Promise<unknown[]> {
  return query(url, 'SELECT value FROM kept');
}

interface Told {
  url?: string;
  ended?: string;
  refused?: { name: string; message: string };
}

/** Starts in another process, which ends with this one. Resolves with the first thing it tells. */
async function startElsewhere(durable = false): Promise<Told & { child: ChildProcess }> {
  const child = fork(CHILD, [JSON.stringify({ directory, durable })], { execArgv: [] });
  children.push(child);
  const [told] = (await once(child, 'message')) as [Told];
  return { child, ...told };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

async function query(url: string | undefined, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows.flat();
  } finally {
    await client.end();
  }
}

async function postmasterPid(): Promise<number> {
  const postmaster = await findPostmaster(await realpath(join(directory, 'postgres')));
  if (!postmaster) throw new Error('no PostgreSQL runs');
  return postmaster.pid;
}

async function killPostmaster(): Promise<void> {
  const pid = await postmasterPid();
  const data = await realpath(join(directory, 'postgres'));
  process.kill(pid, 'SIGKILL');
  await until(async () => (await findPostmaster(data)) === undefined);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  if (!(await waitUntil(condition, 10_000))) throw new Error('it did not happen');
}

async function temporaries(folder = directory): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => name.includes('.tmp-'));
}

function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => Promise.reject(new Error('it should have failed')),
    (error: Error) => error,
  );
}

describe('the first start', () => {
  it('makes a UTF-8 database that orders by code point and knows only UTC', async () => {
    const { url } = await start();
    expect(url).toMatch(/^postgres:\/\/postgres:[\w-]{32}@127\.0\.0\.1:\d+\/hedgerow$/);
    const answer = await query(
      url,
      `SELECT current_setting('server_encoding'), current_setting('timezone'), upper('é'), 'Z' < 'a'`,
    );
    expect(answer).toEqual(['UTF8', 'UTC', 'É', true]);
  });

  it('lets in nobody without the password, and tells it to nobody', async () => {
    const lines: string[] = [];
    const { url } = await start({ log: (line) => lines.push(line) });
    const { password } = new URL(url);
    await expect(query(url.replace(password, 'guess'), 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect((await stat(join(directory, 'postgres', 'hedgerow-password'))).mode & 0o777).toBe(0o600);
    if (process.platform === 'linux')
      lines.push(await readFile(`/proc/${await postmasterPid()}/cmdline`, 'utf8'));
    lines.push(await readFile(join(directory, 'postgres.log'), 'utf8'));
    lines.push(await readFile(join(directory, 'postgres', 'postmaster.opts'), 'utf8'));
    expect(lines.join('\n')).not.toContain(password);
  });

  it('is safe against power failures unless told otherwise', async () => {
    const { url } = await start({ durable: undefined });
    const names = ['fsync', 'synchronous_commit', 'full_page_writes'];
    expect(await query(url, `SELECT ${names.map((name) => `current_setting('${name}')`)}`)).toEqual(
      names.map(() => 'on'),
    );
  });

  it('works in a folder with blanks, quotes and letters of all kinds in its name', async () => {
    directory = join(parent, `it's "my" $HOME \`data\` \\ ñ 数据`);
    const { url } = await start();
    expect(await query(url, 'SELECT 1')).toEqual([1]);
  });

  asRoot('keeps the data elsewhere when the OS user of PostgreSQL cannot enter the folder', async () => {
    await chmod(parent, 0o700);
    directory = join(parent, 'my data');
    const lines: string[] = [];
    const { url } = await start({ log: (line) => lines.push(line) });
    const row = await writeRow(url);
    await started.pop()?.stop();

    expect(await rows((await start()).url)).toEqual([row]);
    const data = await readlink(join(directory, 'postgres'));
    expect(data).toMatch(/^\/var\/lib\/hedgerow\/clusters\/[\w-]{36}$/);
    expect(lines.join('\n')).toContain(data);
    expect((await stat(parent)).mode & 0o777).toBe(0o700);
  });

  it('clears up after a first start that was killed, and leaves one alone that is under way', async () => {
    const underWay = `postgres.tmp-${process.ppid}-00-00`;
    await mkdir(join(directory, underWay), { recursive: true });
    children.push(fork(CHILD, [JSON.stringify({ directory })], { execArgv: [] }));
    await until(async () => (await temporaries()).length === 2);
    await Promise.all(children.map(kill));
    expect(await temporaries()).toHaveLength(2);

    await start();
    expect(await temporaries()).toEqual([underWay]);
  });
});

describe('a later start', () => {
  beforeEach(usedBefore);

  it('finds the rows of the one before', async () => {
    const first = await start();
    const row = await writeRow(first.url);
    await first.stop();
    await first.stop();
    await expect(query(first.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });

    expect(await rows((await start()).url)).toContain(row);
  });

  it('goes on with the server that a killed process left', async () => {
    const { url, child } = await startElsewhere();
    const row = await writeRow(url);
    const pid = await postmasterPid();
    await kill(child);

    const adopted = await start();
    expect(await postmasterPid()).toBe(pid);
    expect(adopted.url).toBe(url);
    expect(await rows(adopted.url)).toContain(row);
    await adopted.stop();
    await expect(postmasterPid()).rejects.toThrow('no PostgreSQL runs');
  });

  it('goes on with the server of a process that ended by itself without stopping it', async () => {
    const { child } = await startElsewhere();
    const pid = await postmasterPid();
    const exit = once(child, 'exit');
    child.send('go');
    expect(await exit).toEqual([0, null]);

    await start();
    expect(await postmasterPid()).toBe(pid);
  });

  it('replaces a server that was left with other settings', async () => {
    const { url, child } = await startElsewhere(false);
    const row = await writeRow(url);
    const pid = await postmasterPid();
    await kill(child);

    const replaced = await start({ durable: true });
    expect(await postmasterPid()).not.toBe(pid);
    expect(await query(replaced.url, 'SHOW fsync')).toEqual(['on']);
    expect(await rows(replaced.url)).toContain(row);
  });

  it('recovers every answered row after the process and PostgreSQL were killed together', async () => {
    const { url, child } = await startElsewhere(true);
    const row = await writeRow(url);
    await Promise.all([kill(child), killPostmaster()]);

    const { url: again } = await start({ durable: true });
    expect(await rows(again)).toContain(row);
  });

  it('is not misled by a pid file whose pid belongs to another process by now', async () => {
    await start();
    await killPostmaster();
    const pidFile = join(directory, 'postgres', 'postmaster.pid');
    const { uid, gid } = await stat(pidFile);
    const other = spawn('sleep', ['600'], { cwd: '/', ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
    children.push(other);
    const content = await readFile(pidFile, 'utf8');
    await writeFile(pidFile, content.replace(/^\d+/, String(other.pid)));

    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
    expect(other.exitCode).toBeNull();
  });

  it('is not stopped by a pid file that a power failure left empty', async () => {
    await start();
    await killPostmaster();
    const pidFile = join(directory, 'postgres', 'postmaster.pid');
    await writeFile(pidFile, '');
    await utimes(pidFile, 1, 1);

    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
  });

  it('begins the log anew when it has grown past 10 MB', async () => {
    const log = join(directory, 'postgres.log');
    await writeFile(log, 'x'.repeat(11 * 1024 * 1024));
    await start();
    expect((await stat(log)).size).toBeLessThan(10_000);
  });
});

describe('a second start', () => {
  const line = (pid: number | undefined) =>
    `DATA_DIR ${directory} is in use by another Hedgerow (pid ${pid}); stop it, or give this one another DATA_DIR`;

  it('is refused in one line while another process uses the directory', async () => {
    usedBefore();
    const { url, child } = await startElsewhere();
    const refused = await failure(start());
    expect(refused).toBeInstanceOf(DataDirectoryInUse);
    expect(refused.message).toBe(line(child.pid));
    expect(await query(url, 'SELECT 1')).toEqual([1]);
  });

  it('is refused when the first one goes on with the server of an earlier process', async () => {
    usedBefore();
    await kill((await startElsewhere()).child);
    await start();
    const { refused } = await startElsewhere();
    expect(refused).toEqual({ name: 'DataDirectoryInUse', message: line(process.pid) });
  });

  it('waits for one that is stopping', async () => {
    usedBefore();
    const first = await start();
    const stopping = first.stop();
    expect(await query((await start()).url, 'SELECT 1')).toEqual([1]);
    await stopping;
  });

  it('of several first starts at once, lets exactly one through', async () => {
    const starts = await Promise.all([startElsewhere(), startElsewhere(), startElsewhere()]);
    const winners = starts.filter(({ url }) => url !== undefined);
    expect(winners).toHaveLength(1);
    expect(starts.flatMap(({ refused }) => refused ?? [])).toEqual(
      Array(2).fill({ name: 'DataDirectoryInUse', message: line(winners[0]?.child.pid) }),
    );
    expect(await query(winners[0]?.url, 'SELECT 1')).toEqual([1]);
    expect(await temporaries()).toEqual([]);
  });

  it('of several later starts at once, lets exactly one through', async () => {
    usedBefore();
    const starts = await Promise.all([startElsewhere(), startElsewhere(), startElsewhere()]);
    expect(starts.filter(({ url }) => url !== undefined)).toHaveLength(1);
    expect(starts.filter(({ refused }) => refused?.name === 'DataDirectoryInUse')).toHaveLength(2);
  });
});

describe('the end', () => {
  beforeEach(usedBefore);

  it('is told when PostgreSQL is killed', async () => {
    const postgres = await start();
    const pid = await postmasterPid();
    await killPostmaster();
    expect(await postgres.ended).toContain(`PostgreSQL (pid ${pid}) ended`);
  });

  it('is told when a server of an earlier process is shut down by somebody else', async () => {
    await kill((await startElsewhere()).child);
    const postgres = await start();
    process.kill(await postmasterPid(), 'SIGINT');
    expect(await postgres.ended).toContain(`the last line of ${join(directory, 'postgres.log')}: `);
  });

  it('is told when the lock is lost, and PostgreSQL can still be stopped', async () => {
    const postgres = await start();
    await query(
      postgres.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow ${process.pid}'`,
    );
    await postgres.ended;
    await postgres.stop();
    await expect(postmasterPid()).rejects.toThrow('no PostgreSQL runs');
  });

  it('leaves the server alone when another process took it over with the lost lock', async () => {
    const postgres = await start();
    await query(
      postgres.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow ${process.pid}'`,
    );
    await postgres.ended;
    const { url } = await startElsewhere();
    await postgres.stop();
    expect(await query(url, 'SELECT 1')).toEqual([1]);
  });

  it('is not told when it was wanted', async () => {
    const postgres = await start();
    let told = false;
    void postgres.ended.then(() => {
      told = true;
    });
    await postgres.stop();
    await new Promise(setImmediate);
    expect(told).toBe(false);
  });
});

describe('a failure', () => {
  it('names the versions when the database is of another PostgreSQL', async () => {
    await mkdir(join(directory, 'postgres'), { recursive: true });
    await writeFile(join(directory, 'postgres', 'PG_VERSION'), '15\n');
    const error = await failure(start());
    expect(error).toBeInstanceOf(EmbeddedPostgresFailed);
    expect(error.message).toMatch(/made by PostgreSQL 15 and cannot be read by PostgreSQL 18;.*DATABASE_URL/);
  });

  it('carries PostgreSQL’s own words', async () => {
    usedBefore();
    const error = await failure(start({ settings: { shared_buffers: 'plenty' } }));
    expect(error).toBeInstanceOf(EmbeddedPostgresFailed);
    expect(error.message).toMatch(
      /does not start.*DATABASE_URL.*\n.*invalid value for parameter "shared_buffers"/,
    );
  });

  it('says so when the directory cannot be made', async () => {
    await writeFile(directory, 'a file');
    const error = await failure(start());
    expect(error).toBeInstanceOf(EmbeddedPostgresFailed);
    expect(error.message).toMatch(/^The embedded PostgreSQL cannot keep its data in DATA_DIR .*EEXIST.*$/);
  });

  it('touches no folder that Hedgerow did not make', async () => {
    await mkdir(join(directory, 'postgres'), { recursive: true });
    await writeFile(join(directory, 'postgres', 'mine'), 'precious');
    const error = await failure(start());
    expect(error).toBeInstanceOf(EmbeddedPostgresFailed);
    expect(error.message).toContain('is not a database that Hedgerow made');
    expect(await readdir(join(directory, 'postgres'))).toEqual(['mine']);
  });
});
