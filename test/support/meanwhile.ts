import { Client } from 'pg';
import type { TestApi } from './api';

const SOMEBODY_WAITS = `
  SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid) AS waits`;

/**
 * Executes a statement in a transaction of its own, and commits it once `work`, begun meanwhile, waits for what it
 * has locked. So a race always has the same outcome.
 */
export async function meanwhile<T>(
  api: TestApi,
  sql: string,
  values: unknown[],
  work: () => Promise<T>,
): Promise<T> {
  const client = new Client({ connectionString: api.databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(sql, values);
    let settled = false;
    const result = work().finally(() => {
      settled = true;
    });
    while (!settled && !(await client.query(SOMEBODY_WAITS)).rows[0].waits);
    await client.query('COMMIT');
    return await result;
  } finally {
    await client.end();
  }
}
