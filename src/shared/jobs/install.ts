import PgBoss from 'pg-boss';
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
