import type { Client } from 'pg';
import { lackingOfJobs } from '../jobs/install';
import { migrations } from './migrations/index';

/** What a database does not have of all that this program needs; empty lists: it is up to date. */
export interface Lacking {
  /** Names of migrations, oldest first. */
  readonly migrations: readonly string[];
  /** Of the job queue, in words. */
  readonly jobs: readonly string[];
  /** Not lacking but too many: migrations that a newer version of this program has made. */
  readonly unknown: readonly string[];
}

/** Reads only. */
export async function lackingOf(client: Client): Promise<Lacking> {
  const known = migrations.map(({ name }) => name);
  const made = await migrationsIn(client);
  return {
    migrations: known.filter((name) => !made.includes(name)),
    jobs: await lackingOfJobs(client),
    unknown: made.filter((name) => !known.includes(name)),
  };
}

async function migrationsIn(client: Client): Promise<string[]> {
  const table = await client.query("SELECT to_regclass('migrations') IS NOT NULL AS there");
  if (!table.rows[0].there) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}
