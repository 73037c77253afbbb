import type { Client } from 'pg';
import PgBoss from 'pg-boss';
import { schema as NEWEST } from 'pg-boss/version.json';
import { QUEUES } from './queues';

/** Where pg-boss keeps its tables. */
export const JOBS_SCHEMA = 'jobs';

/** Brings the job queue's own schema up to date, and makes the queues that are missing. */
export async function installJobs(connectionString: string): Promise<void> {
  const boss = new PgBoss({
    connectionString,
    schema: JOBS_SCHEMA,
    max: 1,
    supervise: false,
    schedule: false,
  });
  // Failures reach the caller of each call as well.
  boss.on('error', () => undefined);
  await boss.start();
  try {
    const made = (await boss.getQueues()).map(({ name }) => name);
    for (const name of QUEUES) if (!made.includes(name)) await boss.createQueue(name, { name });
  } finally {
    await boss.stop({ graceful: false, wait: true });
  }
}

/** What `installJobs` would do, in words. Reads only. */
export async function lackingOfJobs(client: Client): Promise<string[]> {
  const tables = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${JOBS_SCHEMA}.version`,
  ]);
  if (!tables.rows[0].there) return ['the tables of the job queue', ...QUEUES.map((name) => `queue ${name}`)];
  const versions = await client.query<{ version: number }>(`SELECT version FROM ${JOBS_SCHEMA}.version`);
  const queues = await client.query<{ name: string }>(`SELECT name FROM ${JOBS_SCHEMA}.queue`);
  const made = queues.rows.map(({ name }) => name);
  return [
    ...versions.rows.flatMap(({ version }) =>
      version < NEWEST ? [`the tables of the job queue, from version ${version} to ${NEWEST}`] : [],
    ),
    ...QUEUES.filter((name) => !made.includes(name)).map((name) => `queue ${name}`),
  ];
}
