import type { INestApplication } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import { Readiness } from './shared/http/health.controller';
import type { EmbeddedPostgres } from './shared/persistence/embedded-postgres';

/** Requests in flight have this long; a supervisor that asked to stop should not have to kill. */
const DRAIN_MILLISECONDS = 8_000;

/**
 * SIGTERM and SIGINT drain: no new connection is taken, requests in flight finish, then the database is let go
 * (the embedded one stopped) and the process ends with 0. A second signal ends it at once.
 */
export function stopOnSignal(app: INestApplication, embedded: EmbeddedPostgres | null): void {
  const logger = new Logger('Shutdown');
  let stopping = false;

  const stop = async (reason: string, exitCode: number): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${reason}: stopping`);
    app.get(Readiness).drain();
    const server = app.getHttpServer() as import('node:http').Server;
    const impatience = setTimeout(() => server.closeAllConnections(), DRAIN_MILLISECONDS);
    try {
      // Closes idle connections, waits for busy ones, then ends the pool.
      await app.close();
      clearTimeout(impatience);
      await embedded?.stop();
      process.exit(exitCode);
    } catch (error) {
      logger.error(error);
      process.exit(1);
    }
  };

  process.on('SIGTERM', () => void stop('SIGTERM', 0));
  process.on('SIGINT', () => void stop('SIGINT', 0));
  void embedded?.ended.then((reason) => stop(`The embedded PostgreSQL ended (${reason})`, 1));
}
