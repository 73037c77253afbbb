import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeliveryFailed } from '../../domain/delivery';
import type { Bytes } from './file-format';
import type { FileNames } from './file-names';

/** What an interrupted run left, and none repeated, is thrown away after this. In milliseconds. */
const LONGEST_WRITE = 24 * 60 * 60 * 1000;
const TEMPORARY = /^\.hedgerow-([\w-]+)-[0-9a-f]{12}\.tmp$/;

/**
 * The folder of a run's files, somewhere below the folder of all exports. What is written is seen under its name once
 * it is whole and on disk, never before.
 */
export class ExportFolder {
  /** Written, and not yet published: the name it will have, and where it is. */
  private readonly prepared = new Map<string, string>();

  private constructor(
    private readonly path: string,
    private readonly runId: string,
  ) {}

  /**
   * Makes the folder where it is missing.
   * @param root of all exports; the operator's, and may be a link
   * @param segments below it, which a caller may have named
   * @throws DeliveryFailed when these lead out of the root
   */
  static async open(root: string, segments: readonly string[], runId: string): Promise<ExportFolder> {
    const bad = segments.find((segment) => !isName(segment));
    if (bad !== undefined) throw new DeliveryFailed(`'${bad}' cannot be a part of a path`, false);
    await mkdir(root, { recursive: true });
    let path = await realpath(root);
    for (const segment of segments) {
      path = join(path, segment);
      await mkdir(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      if (!(await lstat(path)).isDirectory()) {
        throw new DeliveryFailed(
          `'${segment}' in the export folder is no folder: nothing is written there`,
          false,
        );
      }
    }
    return new ExportFolder(path, runId);
  }

  /** Throws away what earlier attempts of this run, or runs long ago, did not finish. */
  async tidy(): Promise<void> {
    for (const name of await readdir(this.path)) {
      const [, runId] = TEMPORARY.exec(name) ?? [];
      if (runId === undefined) continue;
      const path = join(this.path, name);
      if (runId === this.runId || (await ageOf(path)) > LONGEST_WRITE) await rm(path, { force: true });
    }
  }

  /** Writes a file that `publish` will give its name. */
  async prepare(name: string, content: Bytes | string): Promise<void> {
    const path = join(this.path, `.hedgerow-${this.runId}-${randomBytes(6).toString('hex')}.tmp`);
    // Exclusive: a link of this name would not be followed.
    const file = await open(path, 'wx');
    this.prepared.set(name, path);
    try {
      await writeFile(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** The prepared files take their places, in order, and other files of the same run go. */
  async publish(names: FileNames): Promise<void> {
    const published = new Set(this.prepared.keys());
    for (const [name, path] of this.prepared) {
      await rename(path, join(this.path, name));
      this.prepared.delete(name);
    }
    for (const name of await readdir(this.path)) {
      if (names.include(name) && !published.has(name)) await rm(join(this.path, name), { force: true });
    }
    await this.sync();
  }

  /** Throws away what was prepared and not published. */
  async discard(): Promise<void> {
    for (const path of this.prepared.values()) await rm(path, { force: true });
  }

  /** Names are on disk after this, as far as the system can tell. */
  private async sync(): Promise<void> {
    if (process.platform === 'win32') return;
    const folder = await open(this.path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}

/** Whether a text names something in a folder, and nowhere else, on any system. */
const isName = (segment: string): boolean =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in names
  segment !== '' && segment !== '.' && segment !== '..' && !/[/\\:\u0000-\u001f]/.test(segment);

/** In milliseconds since it was last written to; 0 when it is gone. */
async function ageOf(path: string): Promise<number> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}
