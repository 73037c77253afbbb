import { createDataSource } from './src/shared/persistence/data-source';

const url = process.env.DATABASE_URL;
if (!url)
  throw new Error('Set DATABASE_URL to the database to migrate, such as postgres://user:password@host/db');

/** For the migration commands; the server migrates by itself when it starts. */
export default createDataSource({ url, poolSize: 1 });
