import { type FileHandle, open, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { giveTo } from './os-account';
import type { OsAccount } from './processes';

const LARGEST = 10 * 1024 * 1024;

/** PostgreSQL's own log, `postgres.log` in the data directory. It starts afresh when it has grown past 10 MB. */
export class PostgresLog {
  readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, 'postgres.log');
  }

  /** Opens it for a PostgreSQL that is about to start, and says where in it the new lines will be. */
  async open(account: OsAccount | undefined): Promise<{ file: FileHandle; position: number }> {
    const file = await open(this.path, 'a', 0o600);
    await giveTo(account, this.path);
    const { size } = await file.stat();
    if (size <= LARGEST) return { file, position: size };
    await truncate(this.path);
    return { file, position: 0 };
  }

  /** What was written after the position. */
  async since(position: number): Promise<string> {
    const content = await readFile(this.path).catch(() => Buffer.alloc(0));
    return content.subarray(position).toString();
  }

  async lastLine(): Promise<string> {
    return (await this.since(0)).trimEnd().split('\n').pop() ?? '';
  }
}
