import type { Client } from 'pg';

/** How a database fares, for the operator. */
export interface DatabaseCondition {
  /** PostgreSQL's, such as `18.4`. */
  readonly version: string;
  /** A replica takes no changes. */
  readonly isReplica: boolean;
  /** How far its clock is ahead of this machine's, in milliseconds, give or take half of the round trip. */
  readonly ahead: number;
  /** In milliseconds. */
  readonly roundTrip: number;
  /** Connections, of all databases of the server; those reserved for its administrators are not among `most`. */
  readonly connections: { readonly used: number; readonly most: number };
}

const CONDITION = `
  SELECT split_part(current_setting('server_version'), ' ', 1) AS version, pg_is_in_recovery() AS replica,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0) AS most,
         (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database) AS used`;

/** Reads only. */
export async function conditionOf(client: Client): Promise<DatabaseCondition> {
  const { rows } = await client.query<{ version: string; replica: boolean; most: number; used: number }>(
    CONDITION,
  );
  const [row] = rows;
  if (!row) throw new Error('The database tells nothing of itself');
  const start = Date.now();
  const clock = await client.query<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  const end = Date.now();
  return {
    version: row.version,
    isReplica: row.replica,
    ahead: (clock.rows[0]?.now ?? end) - (start + end) / 2,
    roundTrip: end - start,
    connections: { used: row.used, most: row.most },
  };
}
