import { defaults } from 'pg';
import { DataSource, type EntitySchema, type MixedList } from 'typeorm';
import { migrations } from './migrations/index';
import { PreparingClient } from './preparing-client';

// Else pg writes a Date in the local time zone, to the minute: old moments would be off by seconds.
defaults.parseInputDatesAsUTC = true;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly entities?: EntitySchema<object>[];
  /** In milliseconds, for a connection, whether it is to be made or to become free. */
  readonly connectTimeout?: number;
  /** In milliseconds, after which PostgreSQL gives a statement up; 0, as for migrations: never. */
  readonly statementTimeout?: number;
}

/** The database of the server and of the migration commands; the schema changes through migrations only. */
export function createDataSource({
  url,
  poolSize,
  entities = [],
  connectTimeout = 10_000,
  statementTimeout = 0,
}: DatabaseOptions): DataSource {
  return new DataSource({
    type: 'postgres',
    url,
    poolSize,
    entities: entities as MixedList<EntitySchema<object>>,
    migrations,
    migrationsTableName: 'migrations',
    synchronize: false,
    // Entities are domain classes: they are loaded, not constructed.
    entitySkipConstructor: true,
    applicationName: 'hedgerow',
    connectTimeoutMS: connectTimeout,
    extra: {
      options: `-c TimeZone=UTC -c statement_timeout=${statementTimeout}`,
      Client: PreparingClient,
      // A statement that nobody waits for goes with the next one (`Transaction.send`).
      pipeline: true,
    },
  });
}
