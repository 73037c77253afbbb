import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { installedBinaries, runnableBinaries } from './binaries';
import { type BringUpOptions, bringUp, type Serving } from './bring-up';
import { type Cluster, createCluster, findCluster } from './cluster';
import { ClusterLock, databaseUrl } from './cluster-lock';
import { DataDirectoryInUse, EmbeddedPostgresFailed, USE_YOUR_OWN } from './errors';
import { removeAbandoned } from './folders';
import { accountForNewCluster, runningAsRoot } from './os-account';
import { PostgresLog } from './postgres-log';
import { stopPostmaster } from './postmaster';
import { systemFolder } from './system-folder';

export interface EmbeddedPostgresOptions {
  /** DATA_DIR. The database is in `postgres` below it, PostgreSQL's log in `postgres.log`. */
  directory: string;
  /** False lets a crash of the machine destroy the database, and saves time: for tests. Default true. */
  durable?: boolean;
  /** Takes a line now and then: where the data is, what is waited for. Never a secret. */
  log?: (message: string) => void;
  /** More of PostgreSQL's settings, by name. */
  settings?: Record<string, string>;
}

/** A PostgreSQL of our own, for those who have none: its processes, its data, and the lock on both. */
export class EmbeddedPostgres {
  /** The application's database, with the password; on 127.0.0.1 only. */
  readonly url: string;
  /** Resolves with a reason when PostgreSQL, or the lock on the data, is gone without `stop` having been called. */
  readonly ended: Promise<string>;
  private stopped: Promise<void> | undefined;

  private constructor(
    private readonly cluster: Cluster,
    private readonly serving: Serving,
    log: PostgresLog,
  ) {
    this.url = databaseUrl(cluster, serving.postmaster.port);
    this.ended = new Promise((resolveEnded) => {
      void serving.lock.lost.then(async () => {
        const lastLine = await log.lastLine();
        const reason = `PostgreSQL (pid ${serving.postmaster.pid}) ended unexpectedly, or gave up the lock on its data`;
        if (!this.stopped) resolveEnded(`${reason}; the last line of ${log.path}: ${lastLine}`);
      });
    });
  }

  /**
   * Starts the cluster below the directory, or goes on with the server that an earlier, killed process left running;
   * the first time it makes the cluster.
   *
   * @throws {DataDirectoryInUse} while another process uses the directory
   * @throws {EmbeddedPostgresFailed} for everything else
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const directory = resolve(options.directory);
    try {
      const prepared = await prepare({ ...options, directory });
      const serving = await bringUp(prepared);
      return new EmbeddedPostgres(prepared.cluster, serving, prepared.log);
    } catch (error) {
      if (error instanceof DataDirectoryInUse || error instanceof EmbeddedPostgresFailed) throw error;
      throw new EmbeddedPostgresFailed(
        `The embedded PostgreSQL cannot keep its data in DATA_DIR ${directory}: ` +
          `${error instanceof Error ? error.message : String(error)}; give it another DATA_DIR, or ${USE_YOUR_OWN}`,
        '',
        { cause: error },
      );
    }
  }

  /** Ends all sessions, writes everything, waits until PostgreSQL is gone. Calling it again does nothing more. */
  stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    return this.stopped;
  }

  private async shutDown(): Promise<void> {
    const { lock, postmaster } = this.serving;
    // Without the lock the server may be somebody else's by now.
    const mine = lock.held || (await this.regainLock());
    if (mine) await stopPostmaster(postmaster.pid, this.cluster.dataDirectory);
    await lock.release();
  }

  private async regainLock(): Promise<boolean> {
    const { port } = this.serving.postmaster;
    return ClusterLock.take(this.cluster, port).then(
      (outcome) => outcome instanceof ClusterLock,
      () => false,
    );
  }
}

async function prepare({
  directory,
  durable = true,
  log: tell = () => {},
  settings = {},
}: EmbeddedPostgresOptions): Promise<BringUpOptions> {
  await mkdir(directory, { recursive: true });
  await removeAbandoned(directory);
  const installed = await installedBinaries();
  const copiesFolder = async () => (runningAsRoot() ? systemFolder() : directory);

  let cluster = await findCluster(directory, installed);
  const isNew = cluster === undefined;
  const account = cluster ? cluster.account : await accountForNewCluster();
  const binaries = await runnableBinaries(installed, account, copiesFolder);
  if (!cluster) {
    await createCluster({ directory, binaries, account, durable });
    cluster = await findCluster(directory, installed);
  }
  if (!cluster) throw new Error('the database just made is gone');
  tell(`PostgreSQL ${binaries.majorVersion}, data in ${cluster.dataDirectory}${isNew ? ' (new)' : ''}`);

  return {
    ...{ directory, cluster, binaries, tell },
    settings: { durable, extra: settings },
    log: new PostgresLog(directory),
  };
}
