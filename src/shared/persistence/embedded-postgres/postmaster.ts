import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { EmbeddedPostgresFailed } from './errors';
import { isAlive, runProgram } from './processes';
import { waitUntil } from './wait';

/** The parent of all processes of a running PostgreSQL, as it describes itself in `postmaster.pid`. */
export interface Postmaster {
  pid: number;
  port: number;
  /** `starting` (recovery too), `ready` or `stopping`. */
  status: string;
}

/** The live postmaster of the data directory. A pid file whose process is gone, or is another, counts as none. */
export async function findPostmaster(dataDirectory: string): Promise<Postmaster | undefined> {
  const content = await readPidFile(dataDirectory);
  const lines = content?.split('\n') ?? [];
  const pid = Number(lines[0]);
  if (!(pid > 0) || !(await isPostmaster(pid, dataDirectory))) return undefined;
  return { pid, port: Number(lines[3]), status: lines[7]?.trim() || 'starting' };
}

/**
 * Whether the process is the postmaster of this very data directory. A pid alone proves nothing: after a crash it
 * may belong to anything, in a container it usually does, and a process that nobody waited for keeps its pid.
 */
export async function isPostmaster(pid: number, dataDirectory: string): Promise<boolean> {
  if (process.platform === 'win32') return isAlive(pid); // the lock compares the data directory afterwards
  if (process.platform !== 'linux') {
    const { output } = await runProgram('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
    return output.includes(`postgres -D ${dataDirectory} `);
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const [program = '', ...args] = commandLine.split('\0');
  if (basename(program) !== 'postgres') return false;
  // A folder may have several names. Where looking is forbidden (root without ptrace), the argument must do.
  const [here, there] = await Promise.all(
    [dataDirectory, `/proc/${pid}/cwd`].map((path) => stat(path).catch(() => undefined)),
  );
  if (!here || !there) return args.includes(dataDirectory);
  return here.ino === there.ino && here.dev === there.dev;
}

/**
 * Fast shutdown: sessions are ended, everything is written, the process exits. One that takes too long is told to
 * stop at once, which loses nothing: the next start replays the log.
 */
export async function stopPostmaster(pid: number, dataDirectory: string): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (!(await isPostmaster(pid, dataDirectory))) return;
    send(pid, signal);
    if (await waitUntil(async () => !(await isPostmaster(pid, dataDirectory)), 8_000)) return;
  }
  throw new EmbeddedPostgresFailed(`PostgreSQL (pid ${pid}) does not stop; end it by hand: kill -9 ${pid}`);
}

/**
 * Removes a pid file that stops PostgreSQL from starting though no postmaster is behind it: its pid now belongs to
 * another process of the same user, or a power failure left it empty. PostgreSQL still refuses by itself while
 * processes of the earlier server use its shared memory.
 */
export async function removeStalePidFile(dataDirectory: string): Promise<void> {
  const content = await readPidFile(dataDirectory);
  if (content === undefined || (await findPostmaster(dataDirectory))) return;
  const file = join(dataDirectory, 'postmaster.pid');
  const complete = content.split('\n').length > 7;
  const age = Date.now() - ((await stat(file).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (!complete && age < 2_000) return; // being written by a postmaster that starts now
  const aside = `${file}.${randomUUID()}`;
  await rename(file, aside).catch(() => {});
  if ((await readFile(aside, 'utf8').catch(() => content)) === content) await rm(aside, { force: true });
  else await rename(aside, file); // another start has put its own there in the meantime
}

async function readPidFile(dataDirectory: string): Promise<string | undefined> {
  return readFile(join(dataDirectory, 'postmaster.pid'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
