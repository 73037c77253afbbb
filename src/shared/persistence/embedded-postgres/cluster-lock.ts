import { Socket } from 'node:net';
import { Client, type ClientConfig } from 'pg';
import type { Cluster } from './cluster';
import { EmbeddedPostgresFailed } from './errors';

/** The bytes of "hedgerow" as a number. */
const LOCK_KEY = 0x6865646765726f77n.toString();
const DATABASE = 'hedgerow';

/** Another process has the lock; its pid if it says so. */
export interface LockedOut {
  holder: number | undefined;
}

/**
 * One process at a time uses a cluster: the one whose session holds this advisory lock. PostgreSQL releases it the
 * moment the process is gone, however it went, so there is no stale lock to clear up.
 */
export class ClusterLock {
  /** Resolves when the session ends, on purpose or not: no PostgreSQL, no lock. */
  readonly lost: Promise<void>;
  private isLost = false;

  private constructor(
    private readonly client: Client,
    /** The mark of the settings that the server runs with. */
    readonly settingsMark: string,
  ) {
    this.lost = new Promise((resolve) => {
      client.once('end', () => {
        this.isLost = true;
        resolve();
      });
    });
  }

  get held(): boolean {
    return !this.isLost;
  }

  /** Throws pg's error if the server does not answer (yet, or any more). */
  static async take(cluster: Cluster, port: number): Promise<ClusterLock | LockedOut> {
    const socket = new Socket();
    const client = new Client({
      ...connectionTo(cluster, port),
      database: 'postgres',
      application_name: `hedgerow ${process.pid}`,
      connectionTimeoutMillis: 5_000,
      stream: () => socket,
    });
    client.on('error', () => {}); // 'end' follows, and is what counts
    try {
      await client.connect();
      const { taken, directory, mark } = await tryLock(client);
      if (!samePath(directory, cluster.dataDirectory)) {
        throw new EmbeddedPostgresFailed(
          `A PostgreSQL started as ${directory} still runs on the database in ${cluster.dataDirectory}; stop it first`,
        );
      }
      if (taken) {
        const lock = new ClusterLock(client, mark);
        await ensureDatabase(client);
        socket.unref(); // a process that has nothing else to do may end
        return lock;
      }
      const holder = await findHolder(client);
      await client.end();
      return { holder };
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async release(): Promise<void> {
    await this.client.end().catch(() => {});
  }
}

/** Where the application's own database is. */
export function databaseUrl(cluster: Cluster, port: number): string {
  const { user, password, host } = connectionTo(cluster, port);
  return `postgres://${user}:${password}@${host}:${port}/${DATABASE}`;
}

function connectionTo({ password }: Cluster, port: number) {
  return { host: '127.0.0.1', port, user: 'postgres', password, ssl: false } satisfies ClientConfig;
}

async function tryLock(client: Client) {
  const { rows } = await client.query<{ taken: boolean; directory: string; mark: string | null }>(
    `SELECT pg_try_advisory_lock($1::bigint) AS taken, current_setting('data_directory') AS directory,
            current_setting('hedgerow.settings', true) AS mark`,
    [LOCK_KEY],
  );
  const [row] = rows;
  return { taken: row?.taken ?? false, directory: row?.directory ?? '', mark: row?.mark ?? '' };
}

async function findHolder(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND (classid::bigint << 32) | objid::bigint = $1::bigint`,
    [LOCK_KEY],
  );
  const pid = Number(rows[0]?.application_name.replace('hedgerow ', ''));
  return pid > 0 ? pid : undefined;
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
  if (!rowCount) await client.query(`CREATE DATABASE ${DATABASE}`);
}

function samePath(one: string, other: string): boolean {
  const comparable = (path: string) =>
    process.platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path;
  return comparable(one) === comparable(other);
}
