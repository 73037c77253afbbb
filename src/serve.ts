import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module';
import type { Settings } from './config/settings';
import { configureApp } from './configure-app';
import { FirstStart } from './first-start';
import { HttpAdapter } from './http-adapter';
import { Readiness } from './shared/http/health.controller';
import { Metrics } from './shared/http/metrics';
import type { Shutdown } from './shutdown';

/** Requests in flight have this long; a supervisor that asked to stop should not have to kill. */
const DRAIN_MILLISECONDS = 8_000;
const IDLE_CHECK_MILLISECONDS = 50;

export interface Serving {
  readonly shutdown: Shutdown;
  /** Takes the key that the first start makes. */
  readonly showKey: (key: string) => void;
  /** Is called before the metrics are served. */
  readonly prepareMetrics?: (metrics: Metrics) => void;
}

/** Serves in this process. @returns the port */
export async function serve(
  settings: Settings,
  { shutdown, showKey, prepareMetrics }: Serving,
): Promise<number> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(settings), new HttpAdapter(), {
    bodyParser: false,
    abortOnError: false,
    // Nest would tell of every module and route it wires up, and of a failed start what `main` says better.
    logger: ['fatal', 'warn'],
  });
  await shutdown.drains(() => drain(app));
  await configureApp(app);
  app.useLogger(app.get(Logger));
  prepareMetrics?.(app.get(Metrics));
  if (settings.metricsPort !== null) await app.get(Metrics).listen(settings.metricsPort, settings.host);
  await app.get(FirstStart).run(showKey);
  await app.listen(settings.port, settings.host);
  app.get(Readiness).serve();
  return (app.getHttpServer().address() as { port: number }).port;
}

async function drain(app: INestApplication): Promise<void> {
  app.get(Readiness).drain();
  const server = app.getHttpServer() as Server;
  // A connection whose request is answered would otherwise be kept alive for the next one.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS);
  const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MILLISECONDS);
  await app.close();
  clearInterval(idle);
  clearTimeout(impatience);
}
