import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { dropDatabase, TEMPLATE } from './database';

export default async function globalTeardown(): Promise<void> {
  await dropDatabase(TEMPLATE);
  await globalThis.testCluster?.stop();
  if (!globalThis.testDirectory) return;
  // Of a run as root, the data lies elsewhere and this is a link to it.
  rmSync(realpathSync(join(globalThis.testDirectory, 'postgres')), { recursive: true, force: true });
  rmSync(globalThis.testDirectory, { recursive: true, force: true });
}
