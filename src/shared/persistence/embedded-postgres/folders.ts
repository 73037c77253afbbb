import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isAlive } from './processes';

/** Tells this process from an earlier one with the same pid: in a container the pid is the same every time. */
const processToken = randomBytes(6).toString('hex');
const TEMPORARY = /\.tmp-(\d+)-([0-9a-f]+)-[0-9a-f]+$/;

/** A name beside `path` that says who is working there, so that remains can be told from work in progress. */
export function temporaryName(path: string): string {
  return `${path}.tmp-${process.pid}-${processToken}-${randomBytes(4).toString('hex')}`;
}

/** Removes what killed processes left half-made in `folder`. What cannot be removed stays; it harms nobody. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid, token] = TEMPORARY.exec(name) ?? [];
    if (pid === undefined) continue;
    const alive = Number(pid) === process.pid ? token === processToken : isAlive(Number(pid));
    if (!alive) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

/** Makes the missing folders of `path`, open to all whatever the umask; those that exist stay as they are. */
export async function makePublicFolder(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true });
  if (firstMade === undefined) return;
  for (let made = path; ; made = dirname(made)) {
    await chmod(made, 0o755);
    if (made === firstMade) return;
  }
}

/** Renames onto a name that must be free. False if it is taken. */
export async function renameIfFree(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

export function isTaken(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  // Windows says EPERM for a folder that exists.
  return code === 'EEXIST' || code === 'ENOTEMPTY' || (process.platform === 'win32' && code === 'EPERM');
}

/** Makes a rename inside the folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
