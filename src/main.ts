import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module';
import { ownSecretKey } from './config/secret-key-file';
import { Settings, WrongSettings } from './config/settings';
import { configureApp } from './configure-app';
import { FirstStart } from './first-start';
import { HttpAdapter } from './http-adapter';
import { Readiness } from './shared/http/health.controller';
import { Metrics } from './shared/http/metrics';
import {
  DataDirectoryInUse,
  EmbeddedPostgres,
  EmbeddedPostgresFailed,
} from './shared/persistence/embedded-postgres';
import { DatabaseUnusable } from './shared/persistence/migrate';
import { Shutdown } from './shutdown';

/** What an operator can mend: told in its own words, without a stack. */
const OPERATORS_ERRORS = [WrongSettings, DataDirectoryInUse, EmbeddedPostgresFailed, DatabaseUnusable];

/** What the system says of a HOST or a port that cannot be listened on. */
const CANNOT_LISTEN = ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'];

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const given = Settings.from();
  const shutdown = new Shutdown();
  try {
    await serve(given.databaseUrl === null ? await withEmbeddedDatabase(given, shutdown) : given, shutdown);
  } catch (error) {
    await shutdown.abandon();
    throw error;
  }
}

/** The settings with a database in `DATA_DIR`, started, and with a secret key of its own unless one is given. */
async function withEmbeddedDatabase(given: Settings, shutdown: Shutdown): Promise<Settings> {
  say(`Starting PostgreSQL in ${given.dataDir}`);
  const embedded = await EmbeddedPostgres.start({ directory: given.dataDir, log: say });
  await shutdown.owns(embedded);
  const secretKeys = given.secretKeys.length > 0 ? given.secretKeys : [ownSecretKey(given.dataDir)];
  return given.withDatabase(embedded.url, secretKeys);
}

async function serve(settings: Settings, shutdown: Shutdown): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings), new HttpAdapter(), {
    bodyParser: false,
    abortOnError: false,
    // Nest would tell of every module and route it wires up, and of a failed start what `explained` says better.
    logger: ['fatal', 'warn'],
  });
  shutdown.drains(app);
  await configureApp(app);
  app.useLogger(app.get(Logger));
  if (settings.metricsPort !== null) await app.get(Metrics).listen(settings.metricsPort, settings.host);
  await app.get(FirstStart).run((key) => showKey(settings, key));
  await app.listen(settings.port, settings.host);
  app.get(Readiness).serve();
  announce(settings, (app.getHttpServer().address() as { port: number }).port);
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

main().catch((error: unknown) => {
  process.stderr.write(`Hedgerow did not start. ${explained(error)}\n`);
  process.exit(1);
});
