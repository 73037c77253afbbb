import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPostgres } from '../../src/shared/persistence/embedded-postgres/index';
import { migrate } from '../../src/shared/persistence/migrate';
import { createDatabase, TEMPLATE, urlOf } from './database';

declare global {
  var testCluster: EmbeddedPostgres | undefined;
  var testDirectory: string | undefined;
}

/** A cluster for this run alone, with a template database that is migrated once. */
export default async function globalSetup(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    globalThis.testDirectory = mkdtempSync(join(tmpdir(), 'hedgerow-test-'));
    globalThis.testCluster = await EmbeddedPostgres.start({
      directory: globalThis.testDirectory,
      durable: false,
      settings: { max_connections: '300' },
    });
    process.env.TEST_DATABASE_URL = globalThis.testCluster.url;
  }
  await createDatabase(TEMPLATE, null);
  await migrate(urlOf(TEMPLATE));
}
