export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
export { DataDirectoryInUse, EmbeddedPostgresFailed } from './errors';
export { hasDatabase, urlOfRunning } from './running';
