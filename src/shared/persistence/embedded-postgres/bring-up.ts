import { ClusterLock } from './cluster-lock';
import { DataDirectoryInUse, EmbeddedPostgresFailed, USE_YOUR_OWN } from './errors';
import { findPostmaster, type Postmaster, removeStalePidFile, stopPostmaster } from './postmaster';
import { LaunchedServer, markOf, type ServerOptions } from './server';
import { pause } from './wait';

/** Recovery after a crash replays up to 1 GB of log, on whatever disk there is. */
const START_LIMIT_MS = 5 * 60_000;
/** For what passes by itself: processes of a killed server that still end, a port taken in between. */
const RETRY_LIMIT_MS = 10_000;
/** For a lock whose holder was killed a moment ago, or is just about to stop. */
const LOCK_GRACE_MS = 1_000;
const RELAUNCH_PAUSE_MS = 200;
const TELL_AFTER_MS = 3_000;

export interface BringUpOptions extends ServerOptions {
  directory: string;
  tell: (message: string) => void;
}

export interface Serving {
  postmaster: Postmaster;
  lock: ClusterLock;
}

/**
 * Gets a PostgreSQL that serves the cluster and the lock on it. It looks again and again at what is there (nothing,
 * one that starts, serves or stops) and takes the next step, because other processes may start and stop one at the
 * same time. Whether it launched the server itself does not matter in the end: the lock alone decides whose it is.
 */
export async function bringUp(options: BringUpOptions): Promise<Serving> {
  const { dataDirectory } = options.cluster;
  const patience = new Patience(options);
  let launched: LaunchedServer | undefined;
  for (;;) {
    const postmaster = await findPostmaster(dataDirectory);
    if (postmaster?.status === 'ready') {
      const lock = await patience.withLock(() => ClusterLock.take(options.cluster, postmaster.port));
      const ours = postmaster.pid === launched?.pid;
      if (lock && (ours || lock.settingsMark === markOf(options.settings, options.binaries))) {
        if (!ours) options.tell(`Continuing with the PostgreSQL (pid ${postmaster.pid}) of an earlier start`);
        return { postmaster, lock };
      }
      if (lock) {
        options.tell(
          `Restarting the PostgreSQL (pid ${postmaster.pid}) of an earlier start: its settings differ`,
        );
        await stopPostmaster(postmaster.pid, dataDirectory);
      }
    } else if (postmaster) {
      patience.withPostmaster(postmaster);
    } else if (!launched) {
      launched = await LaunchedServer.launch(options);
    } else if (launched.failure !== undefined) {
      patience.withFailure(launched.failure, await launched.lastWords());
      await removeStalePidFile(dataDirectory);
      await pause(RELAUNCH_PAUSE_MS);
      launched = undefined;
    }
    await pause();
  }
}

/** How long each kind of obstacle is put up with, and what is said when it has been too long. */
class Patience {
  private readonly since = new Map<string, number>();
  private told = false;

  constructor(private readonly options: BringUpOptions) {}

  /** The lock, or undefined to try again. */
  async withLock(take: () => ReturnType<typeof ClusterLock.take>): Promise<ClusterLock | undefined> {
    try {
      const outcome = await take();
      if (outcome instanceof ClusterLock) return outcome;
      if (this.spent('lock', LOCK_GRACE_MS))
        throw new DataDirectoryInUse(this.options.directory, outcome.holder);
      return undefined;
    } catch (error) {
      if (error instanceof DataDirectoryInUse || error instanceof EmbeddedPostgresFailed) throw error;
      if (!this.spent('connection', RETRY_LIMIT_MS)) return undefined;
      throw new EmbeddedPostgresFailed(
        `PostgreSQL runs in ${this.options.cluster.dataDirectory} but does not serve Hedgerow; see ` +
          `${this.options.log.path}, or ${USE_YOUR_OWN}`,
        error instanceof Error ? error.message : String(error),
        { cause: error },
      );
    }
  }

  /** For one that starts or stops. */
  withPostmaster({ pid, status }: Postmaster): void {
    if (this.spent('postmaster', START_LIMIT_MS)) {
      throw new EmbeddedPostgresFailed(
        `PostgreSQL (pid ${pid}) is still ${status} after ${START_LIMIT_MS / 60_000} minutes; it goes on, so ` +
          `start Hedgerow again later, and see ${this.options.log.path}`,
      );
    }
    if (this.told || !this.spent('postmaster', TELL_AFTER_MS)) return;
    this.told = true;
    this.options.tell(`PostgreSQL (pid ${pid}) is ${status}: waiting for it`);
  }

  withFailure(failure: string, lastWords: string): void {
    const inTheWay = /lock file "[^"]*"|pre-existing shared memory|Address already in use/.test(lastWords);
    const stopped = failure.endsWith('exit code 0'); // by another process, which had the lock for a moment
    if ((inTheWay || stopped) && !this.spent('failure', RETRY_LIMIT_MS)) return;
    throw new EmbeddedPostgresFailed(
      `PostgreSQL does not start in ${this.options.cluster.dataDirectory} (${failure}); see ` +
        `${this.options.log.path}, give this Hedgerow another DATA_DIR, or ${USE_YOUR_OWN}`,
      lastWords,
    );
  }

  private spent(obstacle: string, limit: number): boolean {
    const first = this.since.get(obstacle) ?? Date.now();
    this.since.set(obstacle, first);
    return Date.now() - first > limit;
  }
}
