import type { Client } from 'pg';
import type { Settings } from '../../config/settings';
import { conditionOf, type DatabaseCondition } from '../../shared/persistence/database-condition';
import { lackingOf } from '../../shared/persistence/lacking';
import type { OpenDatabase } from '../open-database';
import { counted } from '../words';
import { type Finding, ok, problem, warning } from './finding';

/** In milliseconds: what is told of a clock that is off by more. */
const CLOCK_WARNING = 2_000;
const CLOCK_PROBLEM = 60_000;

/** The database itself, its tables, its clock, and its connections. */
export async function checkDatabase(
  client: Client,
  { url, kept }: OpenDatabase,
  { databasePoolSize, webConcurrency }: Settings,
): Promise<Finding[]> {
  const condition = await conditionOf(client);
  const { version, isReplica, roundTrip } = condition;
  const { host, pathname } = new URL(url);
  const runs = {
    'by itself': '',
    'by the server': ', run by the server',
    'for this command': ', run for now',
  };
  const place = `PostgreSQL ${version} at ${host}${pathname}${runs[kept]}`;
  return [
    isReplica
      ? problem(
          'database',
          `${place}: a replica, which takes no changes.`,
          'Set DATABASE_URL to the primary.',
        )
      : ok('database', `${place}; it answers in ${roundTrip} ms.`),
    await migrationsOf(client),
    clockOf(condition),
    connectionsOf(condition, databasePoolSize * webConcurrency),
  ];
}

async function migrationsOf(client: Client): Promise<Finding> {
  const { migrations, jobs, unknown } = await lackingOf(client);
  if (migrations.length + jobs.length > 0) {
    const what = [
      ...(migrations.length > 0 ? [counted(migrations.length, 'migration')] : []),
      ...(jobs.length > 0 ? [`for the job queue: ${jobs.join(', ')}`] : []),
    ];
    return problem(
      'migrations',
      `Lacking: ${what.join('; ')}.`,
      'Run "hedgerow migrate", or start the server.',
    );
  }
  if (unknown.length > 0) {
    return warning(
      'migrations',
      `A newer Hedgerow than this one has made ${counted(unknown.length, 'migration')}.`,
      'Use the same version everywhere.',
    );
  }
  return ok('migrations', 'All are done, and the job queue is there.');
}

export function clockOf({ ahead, roundTrip }: Pick<DatabaseCondition, 'ahead' | 'roundTrip'>): Finding {
  const off = Math.max(0, Math.abs(ahead) - roundTrip / 2);
  const found = `The database's clock is ${(off / 1000).toFixed(1)} s ${ahead > 0 ? 'ahead of' : 'behind'} this machine's.`;
  if (off < CLOCK_WARNING) return ok('clock', 'This machine and the database agree on the time.');
  const mend = 'Set both by the same time server (NTP).';
  return off < CLOCK_PROBLEM ? warning('clock', found, mend) : problem('clock', found, mend);
}

export function connectionsOf(
  { connections: { used, most } }: Pick<DatabaseCondition, 'connections'>,
  needed: number,
): Finding {
  const left = most - used;
  const found = `${used} of ${most} are in use.`;
  if (left >= needed) return ok('connections', found);
  return warning(
    'connections',
    `${found} Another server may need ${needed}.`,
    'Raise max_connections of the database, or lower DATABASE_POOL_SIZE or WEB_CONCURRENCY.',
  );
}
