import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import { DomainError } from '../../shared/domain/domain-error';
import { UnfitPlugin } from '../domain/plugin-errors';
import { inFolder, isSource, relativeTo, textOf, topFolder } from '../domain/plugin-files';
import { refuseTooMuchSource } from '../domain/plugin-source';
import type { FetchLimits } from './fetch-limits';

const FILES = ['File', 'OldFile', 'ContiguousFile'];
const FOLDERS = ['Directory', 'GNUDumpDir'];
/** The first two bytes of what is compressed once more, which the parser would unpack without counting. */
const GZIP = Buffer.from([0x1f, 0x8b]);
const ZSTD = Buffer.from([0x28, 0xb5]);

/** In bytes: what is unpacked at a time. */
const CHUNK = 64 * 1024;

const UNREADABLE = 'The archive of the plugin cannot be read: it must be a tar archive compressed with gzip.';

/**
 * The source files of the plugin in a gzipped tar archive, by their path from the plugin's folder: `folder`, below the
 * folder that such archives have at their top; without one, what is at the top of a plain archive will do as well.
 * Nothing is written to the disk, and nothing executed.
 * @throws UnfitPlugin for one that is malformed, larger than the limits, or has links, devices or paths that lead out
 *   of it; TooMuchSource
 */
export async function unpack(
  packed: Buffer,
  folder: string,
  limits: FetchLimits,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const archive = new Archive(folder, limits);
  try {
    const read = (unpacked: AsyncIterable<Buffer>) => archive.read(unpacked);
    await pipeline([packed], createGunzip({ chunkSize: CHUNK }), read, { signal });
  } catch (error) {
    if (error instanceof DomainError || signal.aborted) throw error;
    throw new UnfitPlugin(UNREADABLE);
  }
  return relativeTo([topFolder(archive.files), folder].filter(Boolean).join('/'), archive.files);
}

class Archive {
  readonly files = new Map<string, string>();
  private readonly parser: Parser;
  private entries = 0;
  private size = 0;
  private kept = 0;
  private isOver = false;
  private failure: unknown = null;

  constructor(
    private readonly folder: string,
    private readonly limits: FetchLimits,
  ) {
    this.parser = new Parser({ strict: true, zstd: false, onReadEntry: (entry) => this.take(entry) });
    this.parser.on('error', (error: unknown) => this.fail(error));
    this.parser.on('eof', () => {
      this.isOver = true;
    });
  }

  async read(unpacked: AsyncIterable<Buffer>): Promise<void> {
    for await (const chunk of unpacked) {
      if (this.size === 0 && [GZIP, ZSTD].some((magic) => magic.equals(chunk.subarray(0, 2)))) {
        throw new UnfitPlugin(UNREADABLE);
      }
      this.size += chunk.length;
      if (this.size > this.limits.unpacked) {
        throw new UnfitPlugin(`The plugin has more than ${this.limits.unpacked} bytes when it is unpacked.`);
      }
      // What follows the end of the archive the parser would gather, at ever greater cost.
      if (!this.isOver) this.parser.write(chunk);
      if (this.failure) throw this.failure;
    }
    this.parser.end();
    if (this.failure) throw this.failure;
  }

  private take(entry: ReadEntry): void {
    try {
      this.entries += 1;
      if (this.entries > this.limits.entries) {
        throw new UnfitPlugin(`The plugin has more than ${this.limits.entries} files and folders.`);
      }
      const path = pathOf(entry.path);
      const isFile = FILES.includes(entry.type);
      const isWanted = this.folder === '' || inFolder(this.folder, path.split('/').slice(1).join('/'));
      if (isWanted && !isFile && !FOLDERS.includes(entry.type)) {
        throw new UnfitPlugin(
          `The archive of the plugin has something else than files and folders: ${shown(path)}`,
        );
      }
      if (isWanted && isFile && isSource(path)) this.keep(path, entry);
    } catch (error) {
      this.fail(error);
    }
    entry.resume();
  }

  private keep(path: string, entry: ReadEntry): void {
    const chunks: Buffer[] = [];
    entry.on('data', (chunk: Buffer) => chunks.push(chunk));
    entry.on('end', () => {
      try {
        const text = textOf(path, Buffer.concat(chunks));
        this.files.set(path, text);
        this.kept += text.length;
        refuseTooMuchSource(0, this.kept);
      } catch (error) {
        this.fail(error);
      }
    });
  }

  private fail(error: unknown): void {
    this.failure ??= error;
  }
}

/** @throws UnfitPlugin for one that leads out of the archive. */
function pathOf(raw: string): string {
  const segments = raw.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (raw.startsWith('/') || /[\\\0]|^[a-z]:/i.test(raw) || segments.includes('..')) {
    throw new UnfitPlugin(`The archive of the plugin has a path that leads out of it: ${shown(raw)}`);
  }
  return segments.join('/');
}

const shown = (path: string): string => JSON.stringify(path.slice(0, 200));
