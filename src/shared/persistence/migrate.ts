import { Client } from 'pg';
import { installJobs } from '../jobs/install';
import { createDataSource } from './data-source';
import { type Lacking, lackingOf } from './lacking';

/** Any number that no other program's advisory lock on the same database is likely to be. */
const MIGRATION_LOCK = 4_703_651;
const OLDEST_SUPPORTED = 150_000;

/** Why a database cannot be used, in one line for the operator. */
export class DatabaseUnusable extends Error {}

/**
 * Brings the schema up to date. Processes that start at once on an empty database wait for one another behind an
 * advisory lock.
 * @returns what it did: all that was lacking before
 * @throws DatabaseUnusable when the database cannot be reached or is older than PostgreSQL 15.
 */
export function migrate(url: string): Promise<Lacking> {
  return connected(url, async (client) => {
    // Of many processes that start on a database in use, none waits for another.
    const found = await lackingOf(client);
    if (found.migrations.length + found.jobs.length === 0) return found;
    await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const lacking = await lackingOf(client);
    const dataSource = await createDataSource({ url, poolSize: 1 }).initialize();
    await dataSource.runMigrations({ transaction: 'each' }).finally(() => dataSource.destroy());
    await installJobs(url);
    return lacking;
  });
}

/** What `migrate` would do. @throws DatabaseUnusable as `migrate` does */
export const pending = (url: string): Promise<Lacking> => connected(url, lackingOf);

/**
 * For programs that work on a database which they do not bring up to date by themselves.
 * @throws DatabaseUnusable as `migrate` does, and when the schema is not up to date
 */
export async function requireMigrated(url: string): Promise<void> {
  const { migrations, jobs } = await pending(url);
  if (migrations.length + jobs.length === 0) return;
  throw new DatabaseUnusable(
    'The database is not up to date: run "hedgerow migrate", or start the server, which does the same.',
  );
}

/**
 * Works over a connection of its own.
 * @param statementTimeout in milliseconds; 0: none
 * @throws DatabaseUnusable as `migrate` does
 */
export async function connected<T>(
  url: string,
  work: (client: Client) => Promise<T>,
  statementTimeout = 0,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    statement_timeout: statementTimeout,
  });
  // What cuts the connection off fails the query that runs, or the next one.
  client.on('error', () => undefined);
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
    return await work(client);
  } finally {
    await client.end();
  }
}
