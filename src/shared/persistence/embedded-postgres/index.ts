export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
export { DataDirectoryInUse, EmbeddedPostgresFailed } from './errors';
