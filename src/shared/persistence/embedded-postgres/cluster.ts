import { randomBytes, randomUUID } from 'node:crypto';
import { lstat, mkdir, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Binaries, programIn } from './binaries';
import { EmbeddedPostgresFailed, USE_YOUR_OWN } from './errors';
import { isTaken, removeAbandoned, renameIfFree, syncFolder, temporaryName } from './folders';
import { accountForCluster, canEnter, giveTo } from './os-account';
import type { OsAccount } from './processes';
import { runProgram } from './processes';
import { systemFolder } from './system-folder';

const PASSWORD_FILE = 'hedgerow-password';

/** A data directory of PostgreSQL, made by Hedgerow. */
export interface Cluster {
  /** PostgreSQL's own name for it, without symbolic links. */
  dataDirectory: string;
  password: string;
  /** Whom it belongs to; undefined if that is the current user. */
  account: OsAccount | undefined;
}

/** The cluster of the directory, or undefined if there is none yet. */
export async function findCluster(directory: string, binaries: Binaries): Promise<Cluster | undefined> {
  const path = join(directory, 'postgres');
  if (!(await lstat(path).catch(ifMissing))) return undefined;
  const dataDirectory = await realpath(path).catch((error: Error) => {
    const what = `${path} does not lead to a database`;
    throw new EmbeddedPostgresFailed(`${what}: restore it, or remove the link to begin anew`, error.message);
  });
  const account = await accountForCluster(dataDirectory);
  const version = (await readFile(join(dataDirectory, 'PG_VERSION'), 'utf8').catch(ifMissing))?.trim();
  const password = (await readFile(join(dataDirectory, PASSWORD_FILE), 'utf8').catch(ifMissing))?.trim();
  if (version !== undefined && version !== binaries.majorVersion) {
    throw new EmbeddedPostgresFailed(
      `The database in ${dataDirectory} was made by PostgreSQL ${version} and cannot be read by PostgreSQL ` +
        `${binaries.majorVersion}; give this Hedgerow another DATA_DIR, or ${USE_YOUR_OWN}`,
    );
  }
  if (version === undefined || password === undefined) {
    throw new EmbeddedPostgresFailed(
      `${dataDirectory} is not a database that Hedgerow made; move it away, or give this one another DATA_DIR`,
    );
  }
  return { dataDirectory, password, account };
}

export interface NewCluster {
  directory: string;
  binaries: Binaries;
  account: OsAccount | undefined;
  durable: boolean;
}

/**
 * Makes a cluster under a temporary name and publishes it in one step, so that a start killed half-way leaves
 * nothing that looks like a database, and of two starts at once the later one finds the earlier one's cluster.
 */
export async function createCluster(wanted: NewCluster): Promise<void> {
  const path = join(wanted.directory, 'postgres');
  if (await canEnter(wanted.account, wanted.directory)) {
    await build(wanted, path);
    return;
  }
  const clusters = await systemFolder('clusters');
  await removeAbandoned(clusters);
  const distant = join(clusters, randomUUID());
  await build(wanted, distant);
  try {
    await symlink(distant, path);
  } catch (error) {
    await rm(distant, { recursive: true, force: true });
    if (!isTaken(error)) throw error;
  }
  if (wanted.durable) await syncFolder(wanted.directory);
}

async function build({ binaries, account, durable }: NewCluster, path: string): Promise<void> {
  const temporary = temporaryName(path);
  const data = join(temporary, 'data');
  const passwordFile = join(temporary, PASSWORD_FILE);
  try {
    await mkdir(temporary, { mode: 0o700 });
    await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600, flush: durable });
    await giveTo(account, passwordFile);
    await giveTo(account, temporary);
    const { ok, output } = await runProgram(
      programIn(binaries, 'initdb'),
      [
        ...['-D', data, '--username=postgres', `--pwfile=${passwordFile}`, '--auth=scram-sha-256'],
        ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ...['--no-instructions', ...(durable ? [] : ['--no-sync'])],
      ],
      account,
    );
    if (!ok) {
      throw new EmbeddedPostgresFailed(
        `PostgreSQL could not create a database in ${path}; ${remedyFor(output)}, or ${USE_YOUR_OWN}`,
        output,
      );
    }
    await rename(passwordFile, join(data, PASSWORD_FILE));
    if (durable) await syncFolder(data);
    await renameIfFree(data, path);
    if (durable) await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
  }
}

function remedyFor(output: string): string {
  if (!output.includes('could not look up effective user')) return 'make room, or give it another DATA_DIR';
  return 'give the OS user that runs it a line in /etc/passwd'; // containers often run as a mere number
}

function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
