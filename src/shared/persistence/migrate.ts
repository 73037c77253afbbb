import { Client } from 'pg';
import { installJobs } from '../jobs/install';
import { createDataSource } from './data-source';

/** Any number that no other program's advisory lock on the same database is likely to be. */
const MIGRATION_LOCK = 4_703_651;
const OLDEST_SUPPORTED = 150_000;

/** Why a database cannot be used, in one line for the operator. */
export class DatabaseUnusable extends Error {}

/**
 * Brings the schema up to date. Processes that start at once on an empty database wait for one another behind an
 * advisory lock.
 * @throws DatabaseUnusable when the database cannot be reached or is older than PostgreSQL 15.
 */
export async function migrate(url: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    const { host, port, pathname } = new URL(url);
    throw new DatabaseUnusable(
      `No connection to the database ${pathname.slice(1)} at ${host || `localhost:${port || 5432}`}: ` +
        `${error instanceof Error ? error.message || error.name : error}. Check DATABASE_URL.`,
    );
  }
  try {
    const version = await client.query("SELECT current_setting('server_version_num')::int AS number");
    if (version.rows[0].number < OLDEST_SUPPORTED) {
      throw new DatabaseUnusable(
        'The database is older than PostgreSQL 15; upgrade it, or leave DATABASE_URL unset.',
      );
    }
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const dataSource = await createDataSource({ url, poolSize: 1 }).initialize();
    await dataSource.runMigrations({ transaction: 'all' }).finally(() => dataSource.destroy());
    await installJobs(url);
  } finally {
    await client.end();
  }
}
