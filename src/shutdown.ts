import type { Server } from 'node:http';
import { type INestApplication, Logger } from '@nestjs/common';
import { Readiness } from './shared/http/health.controller';
import type { EmbeddedPostgres } from './shared/persistence/embedded-postgres';

/** Requests in flight have this long; a supervisor that asked to stop should not have to kill. */
const DRAIN_MILLISECONDS = 8_000;
const IDLE_CHECK_MILLISECONDS = 50;

/**
 * SIGTERM and SIGINT drain, at whatever point of the start they come: no new connection is taken, requests in flight
 * finish, then the pool is ended and the embedded database stopped, and the process ends with 0. A second signal ends
 * it at once.
 */
export class Shutdown {
  private readonly logger = new Logger('Shutdown');
  private embedded: EmbeddedPostgres | null = null;
  private app: INestApplication | null = null;
  private exitCode: number | null = null;

  constructor() {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (this.exitCode !== null) process.exit(1);
        this.begin(signal, 0);
      });
    }
  }

  /** From now on the embedded database is stopped with the process, and the process with the database. */
  async owns(embedded: EmbeddedPostgres): Promise<void> {
    this.embedded = embedded;
    // The signal came while the database was starting.
    if (this.exitCode !== null) await this.finish();
    void embedded.ended.then((reason) => this.begin(`The embedded PostgreSQL ended: ${reason}`, 1));
  }

  drains(app: INestApplication): void {
    this.app = app;
  }

  /** After a failed start. */
  async abandon(): Promise<void> {
    this.exitCode ??= 1;
    await this.embedded?.stop();
  }

  private begin(reason: string, exitCode: number): void {
    if (this.exitCode !== null) return;
    this.exitCode = exitCode;
    this.logger.log(`${reason}; stopping`);
    // While the database is starting there is nothing to stop yet: `owns` comes back to it.
    if (this.embedded || this.app) void this.finish();
  }

  private async finish(): Promise<void> {
    try {
      if (this.app) await drain(this.app);
      await this.embedded?.stop();
      process.exit(this.exitCode ?? 0);
    } catch (error) {
      this.logger.error(error);
      process.exit(1);
    }
  }
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
