import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module';
import { ownSecretKey } from './config/secret-key-file';
import { Settings, WrongSettings } from './config/settings';
import { configureApp } from './configure-app';
import { FirstStart } from './first-start';
import { Readiness } from './shared/http/health.controller';
import { Metrics } from './shared/http/metrics';
import {
  DataDirectoryInUse,
  EmbeddedPostgres,
  EmbeddedPostgresFailed,
} from './shared/persistence/embedded-postgres';
import { DatabaseUnusable } from './shared/persistence/migrate';
import { stopOnSignal } from './shutdown';

/** What an operator can mend: told in its own words, without a stack. */
const OPERATORS_ERRORS = [WrongSettings, DataDirectoryInUse, EmbeddedPostgresFailed, DatabaseUnusable];

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(): Promise<void> {
  const given = Settings.from();
  const embedded = given.databaseUrl === null ? await startEmbedded(given) : null;
  try {
    const settings = embedded
      ? given.withDatabase(
          embedded.url,
          given.secretKeys.length > 0 ? given.secretKeys : [ownSecretKey(given.dataDir)],
        )
      : given;
    await serve(settings, embedded);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

function startEmbedded({ dataDir }: Settings): Promise<EmbeddedPostgres> {
  say(`Starting PostgreSQL in ${dataDir}`);
  return EmbeddedPostgres.start({ directory: dataDir, log: say });
}

async function serve(settings: Settings, embedded: EmbeddedPostgres | null): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings), {
    bodyParser: false,
    abortOnError: false,
    // Nest tells of every module and route it wires up; nobody reads that.
    logger: ['fatal', 'error', 'warn'],
  });
  stopOnSignal(app, embedded);
  await configureApp(app);
  app.useLogger(app.get(Logger));
  if (settings.metricsPort !== null) await app.get(Metrics).listen(settings.metricsPort, settings.host);
  const key = await app.get(FirstStart).run();
  await app.listen(settings.port, settings.host);
  app.get(Readiness).serve();
  announce(settings, (app.getHttpServer().address() as { port: number }).port, key);
}

function announce(settings: Settings, port: number, key: string | null): void {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = settings.publicUrl ?? `http://${host}:${port}`;
  if (key !== null) {
    say(
      `First start: made ${settings.bootstrapEmail}, owner of ${JSON.stringify(settings.bootstrapOrganization)}.`,
    );
    say(`Its personal API key, shown this once: ${key}`);
  }
  say(`Hedgerow serves ${url}/api/ (documentation: ${url}/docs/)`);
}

main().catch((error: unknown) => {
  const known = OPERATORS_ERRORS.some((kind) => error instanceof kind);
  const busy =
    (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ||
    (error as NodeJS.ErrnoException).code === 'EACCES';
  process.stderr.write(
    known || busy
      ? `Hedgerow did not start. ${(error as Error).message}\n`
      : `Hedgerow did not start. ${inspected(error)}\n`,
  );
  process.exit(1);
});

const inspected = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
