import { mkdtemp, realpath, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Finding, ok, problem, warning, wordsOf } from './finding';

const MIB = 2 ** 20;
/** In bytes: what is told of a disk that has less left. */
const SPACE_WARNING = 1024 * MIB;
const SPACE_PROBLEM = 100 * MIB;

/** Whether something can be written there, and how much. A folder that is not there yet is made when it is needed. */
export async function checkFolder(setting: string, path: string): Promise<Finding> {
  const check = `folder ${setting}`;
  try {
    const folder = await nearest(path);
    await rmdir(await mkdtemp(join(folder, '.hedgerow-doctor-')));
    const { bavail, bsize } = await statfs(folder);
    return spaceOf(check, folder === path ? path : `${path} (not made yet)`, bavail * bsize);
  } catch (error) {
    return problem(
      check,
      `Nothing can be written to ${path}: ${wordsOf(error)}.`,
      `Let the user that runs Hedgerow write there, or set ${setting} to another folder.`,
    );
  }
}

export function spaceOf(check: string, path: string, bytes: number): Finding {
  const found = `${path} has ${bytes < SPACE_WARNING ? `${Math.floor(bytes / MIB)} MiB` : `${Math.floor(bytes / MIB / 1024)} GiB`} left.`;
  if (bytes >= SPACE_WARNING) return ok(check, found);
  return (bytes < SPACE_PROBLEM ? problem : warning)(check, found, 'Make room on the disk.');
}

/** The folder itself, or the one that it would be made in. */
async function nearest(path: string): Promise<string> {
  const there = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return null;
  });
  if (there === null) return nearest(dirname(path));
  if (!there.isDirectory()) throw new Error(`${path} is not a folder`);
  return path;
}

/** Where the embedded database really is: as root it may be at the end of a link. */
export const homeOfCluster = (dataDir: string): Promise<string> =>
  realpath(join(dataDir, 'postgres')).catch(() => dataDir);
