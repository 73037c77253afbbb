import { Client } from 'pg';

/** The migrated database that every test file's own is copied from; its name is this run's own. */
export const TEMPLATE = `hedgerow_template_${process.env.JEST_RUN ?? process.pid}`;
process.env.JEST_RUN ??= String(process.pid);

/** The address of a database of the test cluster. */
export function urlOf(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  url.pathname = `/${database}`;
  return url.toString();
}

async function asAdmin(sql: string): Promise<void> {
  const client = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export async function createDatabase(name: string, template: string | null = TEMPLATE): Promise<void> {
  const copy = template === null ? '' : `TEMPLATE "${template}" STRATEGY FILE_COPY`;
  await asAdmin(`CREATE DATABASE "${name}" ${copy}`);
}

export async function dropDatabase(name: string): Promise<void> {
  await asAdmin(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
}
