import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new `DATA_DIR`. */
export class DataFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'hedgerow-bench-'));

  /** With the database in it, which must not run any more. */
  remove(): void {
    // Of a run as root, the data lies elsewhere and this is a link to it.
    const data = join(this.path, 'postgres');
    if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true });
    rmSync(this.path, { recursive: true, force: true });
  }
}
