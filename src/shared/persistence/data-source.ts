import { defaults } from 'pg';
import { DataSource, type DataSourceOptions, type EntitySchema, type MixedList } from 'typeorm';
import { migrations } from './migrations/index';

// Else pg writes a Date in the local time zone, to the minute: old moments would be off by seconds.
defaults.parseInputDatesAsUTC = true;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly entities?: EntitySchema<object>[];
}

/** The options that the server and the migration commands share; the schema changes through migrations only. */
export function dataSourceOptions({ url, poolSize, entities = [] }: DatabaseOptions): DataSourceOptions {
  return {
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
    connectTimeoutMS: 10_000,
    extra: { options: '-c TimeZone=UTC' },
  };
}

export function createDataSource(options: DatabaseOptions): DataSource {
  return new DataSource(dataSourceOptions(options));
}
