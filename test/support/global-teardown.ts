import { rmSync } from 'node:fs';
import { dropDatabase, TEMPLATE } from './database';

export default async function globalTeardown(): Promise<void> {
  await dropDatabase(TEMPLATE);
  await globalThis.testCluster?.stop();
  if (globalThis.testDirectory) rmSync(globalThis.testDirectory, { recursive: true, force: true });
}
