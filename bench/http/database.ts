import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/shared/persistence/embedded-postgres/index';
import type { DataFolder } from '../support/data-folder';
import type { Owned } from '../support/owned';
import { familyOf, parentOf } from '../support/processes';
import { CannotMeasure } from './options';

/** A new, empty database, gone in the end: of an embedded PostgreSQL in the folder, or on the server of `DATABASE_URL`. */
export async function newDatabase(owned: Owned, folder: DataFolder): Promise<string> {
  const given = process.env.DATABASE_URL;
  if (!given) {
    const embedded = await EmbeddedPostgres.start({ directory: folder.path });
    owned.add(() => embedded.stop());
    return embedded.url;
  }
  const name = `hedgerow_bench_${randomBytes(6).toString('hex')}`;
  await runOn(given, `CREATE DATABASE "${name}"`).catch((error: Error) => {
    throw new CannotMeasure(`No database can be made on the server of DATABASE_URL: ${error.message}`);
  });
  owned.add(() => runOn(given, `DROP DATABASE "${name}" WITH (FORCE)`));
  const url = new URL(given);
  url.pathname = `/${name}`;
  return url.toString();
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export async function connect(owned: Owned, url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // When the embedded server ends first, that is no failure.
  client.on('error', () => {});
  owned.add(() => client.end());
  return client;
}

/** The version, and the settings that writes depend on. */
export async function describeDatabase(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
            current_setting('synchronous_commit') AS synchronous_commit,
            current_setting('shared_buffers') AS shared_buffers`,
  );
  return rows[0] ?? {};
}

/** The processes of PostgreSQL; none where it runs elsewhere. */
export async function processesOf(client: Client): Promise<() => number[]> {
  const { rows } = await client.query<{ pid: number; local: boolean }>(
    `SELECT pg_backend_pid() AS pid,
            coalesce(inet_server_addr() << '127.0.0.0/8' OR inet_server_addr() = '::1', true) AS local`,
  );
  const [backend] = rows;
  const postmaster = backend?.local ? parentOf(backend.pid, 'postgres') : null;
  return () => (postmaster === null ? [] : familyOf(postmaster));
}
