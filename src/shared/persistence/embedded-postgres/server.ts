import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { type Binaries, programIn } from './binaries';
import type { Cluster } from './cluster';
import type { PostgresLog } from './postgres-log';
import { explainSpawnError, spawnOptions } from './processes';

export interface ServerSettings {
  /** False gives up safety against a crash of the machine (not of a process) for speed: for tests only. */
  durable: boolean;
  /** More of PostgreSQL's settings, by name. */
  extra: Record<string, string>;
}

export interface ServerOptions {
  cluster: Cluster;
  binaries: Binaries;
  settings: ServerSettings;
  log: PostgresLog;
}

/** A `postgres` process that was started here, until it serves or gives up. */
export class LaunchedServer {
  /** Set when the process has ended, or could not be started. */
  failure: string | undefined;

  private constructor(
    readonly pid: number | undefined,
    private readonly log: PostgresLog,
    private readonly logPosition: number,
  ) {}

  static async launch({ cluster, binaries, settings, log }: ServerOptions): Promise<LaunchedServer> {
    const all = {
      ...settingsOf(settings),
      'hedgerow.settings': markOf(settings, binaries),
      listen_addresses: '127.0.0.1',
      port: String(await freePort()),
      unix_socket_directories: '', // their paths have a limit of about 100 bytes
    };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const program = programIn(binaries, 'postgres');
    const { file, position } = await log.open(cluster.account);
    try {
      const child = spawn(program, ['-D', cluster.dataDirectory, ...args], {
        ...spawnOptions(cluster.account),
        // A session of its own: Ctrl-C in the terminal is for Hedgerow, which then stops PostgreSQL in order.
        detached: true,
        stdio: ['ignore', file.fd, file.fd],
      });
      child.unref();
      const launched = new LaunchedServer(child.pid, log, position);
      child.on('error', (error) => {
        launched.failure = explainSpawnError(error, program);
      });
      child.on('exit', (code, signal) => {
        launched.failure = `postgres ended with ${signal ?? `exit code ${code}`}`;
      });
      return launched;
    } finally {
      await file.close();
    }
  }

  /** What PostgreSQL has logged since this launch. */
  async lastWords(): Promise<string> {
    return this.log.since(this.logPosition);
  }
}

/**
 * Stands for all that a server was started with. One that an earlier process left is only as good as a new one if
 * it runs with the same settings and binaries.
 */
export function markOf(settings: ServerSettings, binaries: Binaries): string {
  const everything = JSON.stringify([binaries.version, Object.entries(settingsOf(settings)).sort()]);
  return hash('sha256', everything, 'hex').slice(0, 16);
}

function settingsOf({ durable, extra }: ServerSettings): Record<string, string> {
  return {
    max_connections: '200',
    timezone: 'UTC',
    log_timezone: 'UTC',
    lc_messages: 'C',
    log_min_messages: 'warning',
    // Statements, and the details of errors, hold people's data; the application gets both with its error.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...extra,
  };
}

/** Free now; whoever takes it before PostgreSQL does makes the launch fail, and the next one tries another. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
