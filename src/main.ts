import cluster from 'node:cluster';
import { setFlagsFromString } from 'node:v8';
import { Logger as NestLogger } from '@nestjs/common';
import { Logger, PinoLogger } from 'nestjs-pino';
import { Primary } from './cluster/primary';
import { Workers, WorkersFailed } from './cluster/workers';
import { ownSecretKey } from './config/secret-key-file';
import { Settings, WrongSettings } from './config/settings';
import { loggerParams } from './logging';
import { serve } from './serve';
import {
  DataDirectoryInUse,
  EmbeddedPostgres,
  EmbeddedPostgresFailed,
} from './shared/persistence/embedded-postgres';
import { DatabaseUnusable, migrate } from './shared/persistence/migrate';
import { Shutdown } from './shutdown';

/** What an operator can mend: told in its own words, without a stack. */
const OPERATORS_ERRORS = [
  WrongSettings,
  DataDirectoryInUse,
  EmbeddedPostgresFailed,
  DatabaseUnusable,
  WorkersFailed,
];

/** What the system says of a HOST or a port that cannot be listened on. */
const CANNOT_LISTEN = ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'];

/** Of the embedded database, unless the processes may need more; some more are for the operator's commands. */
const USUAL_CONNECTIONS = 200;

/** How V8 manages memory; ADR 24 says what each is worth. */
const MEMORY_FLAGS = [
  // By how much of what is in use the heap may grow before it is collected: left alone, by a third more and beyond. No
  // bound, so nothing ends the process.
  '--heap-growing-percent=60',
  // What is made for each request is never made where old things are: there it would hold on to its whole request until
  // all memory is looked through, which was a third of a small request's time.
  '--no-allocation-site-pretenuring',
];

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const given = Settings.from();
  const shutdown = new Shutdown();
  try {
    const settings = given.databaseUrl === null ? await withEmbeddedDatabase(given, shutdown) : given;
    const port =
      settings.webConcurrency === 1
        ? await serve(settings, { shutdown, showKey: (key) => showKey(settings, key) })
        : await serveInMany(settings, shutdown);
    announce(settings, port);
  } catch (error) {
    await shutdown.abandon();
    throw error;
  }
}

/** The settings with a database in `DATA_DIR`, started, and with a secret key of its own unless one is given. */
async function withEmbeddedDatabase(given: Settings, shutdown: Shutdown): Promise<Settings> {
  say(`Starting PostgreSQL in ${given.dataDir}`);
  const embedded = await EmbeddedPostgres.start({
    directory: given.dataDir,
    settings: { max_connections: String(Math.max(USUAL_CONNECTIONS, given.mostConnections + 20)) },
    log: say,
  });
  await shutdown.owns(embedded);
  const secretKeys = given.secretKeys.length > 0 ? given.secretKeys : [ownSecretKey(given.dataDir)];
  return given.withDatabase(embedded.url, secretKeys);
}

async function serveInMany(settings: Settings, shutdown: Shutdown): Promise<number> {
  NestLogger.overrideLogger(new Logger(new PinoLogger(loggerParams(settings)), {}));
  // Here, where it fails once, rather than in each of them.
  await migrate(settings.databaseUrl ?? '');
  const workers = new Workers(settings);
  await shutdown.drains(() => workers.stop());
  return workers.start();
}

/** One of the processes that serve together; what it has to say of its start is said by the one that started it. */
async function work(): Promise<void> {
  const shutdown = new Shutdown();
  const primary = new Primary(shutdown);
  try {
    const settings = Settings.from();
    const port = await serve(settings, {
      shutdown,
      showKey: (key) => showKey(settings, key),
      prepareMetrics: (metrics) => primary.gathers(metrics),
    });
    primary.hearsServing(port);
  } catch (error) {
    await shutdown.abandon();
    primary.hearsFailure(explained(error));
  }
}

function showKey({ bootstrapEmail, bootstrapOrganization }: Settings, key: string): void {
  say(`First start: made ${bootstrapEmail}, owner of ${JSON.stringify(bootstrapOrganization)}.`);
  say(`Its personal API key, shown this once: ${key}`);
}

function announce(settings: Settings, port: number): void {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = settings.publicUrl ?? `http://${host}:${port}`;
  say(
    settings.role === 'worker'
      ? `Hedgerow executes jobs (health: ${url}/_readyz)`
      : `Hedgerow serves ${url}/api/ (documentation: ${url}/docs/)`,
  );
}

/** Why the start failed: what an operator can mend in its own words, the rest with its stack. */
function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (code !== undefined && CANNOT_LISTEN.includes(code)) {
    return `${message}. Check HOST, PORT and METRICS_PORT.`;
  }
  return OPERATORS_ERRORS.some((kind) => error instanceof kind) ? message : (stack ?? message);
}

for (const flag of MEMORY_FLAGS) setFlagsFromString(flag);
if (cluster.isWorker) void work();
else {
  main().catch((error: unknown) => {
    process.stderr.write(`Hedgerow did not start. ${explained(error)}\n`);
    process.exit(1);
  });
}
