import { Logger } from '@nestjs/common';
import type { EmbeddedPostgres } from './shared/persistence/embedded-postgres';

/**
 * SIGTERM and SIGINT drain, at whatever point of the start they come: no new connection is taken, requests in flight
 * finish, then the pool is ended and the embedded database stopped, and the process ends with 0. A second signal ends
 * it at once.
 */
export class Shutdown {
  private readonly logger = new Logger('Shutdown');
  private embedded: EmbeddedPostgres | null = null;
  private drain: (() => Promise<void>) | null = null;
  private exitCode: number | null = null;
  private finishing: Promise<void> | null = null;
  private signalled = false;

  constructor() {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (this.signalled) process.exit(1);
        this.signalled = true;
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

  /** From now on this is done before the process ends. */
  async drains(drain: () => Promise<void>): Promise<void> {
    this.drain = drain;
    // The signal came before there was anything to drain.
    if (this.exitCode !== null) await this.finish();
  }

  /** Stops the process; nothing more where it is stopping already. */
  begin(reason: string, exitCode: number): void {
    if (this.exitCode !== null) return;
    this.exitCode = exitCode;
    this.logger.log(`${reason}; stopping`);
    // Before there is anything to stop, `owns` and `drains` come back to it.
    if (this.embedded || this.drain) void this.finish();
  }

  /** After a failed start: stops everything but the process, unless that is stopping. */
  async abandon(): Promise<void> {
    if (this.finishing) await this.finishing;
    this.exitCode ??= 1;
    await this.drain?.().catch((error: unknown) => this.logger.error(error));
    await this.embedded?.stop();
  }

  private finish(): Promise<void> {
    this.finishing ??= this.stopAll();
    return this.finishing;
  }

  private async stopAll(): Promise<void> {
    try {
      await this.drain?.();
      await this.embedded?.stop();
      process.exit(this.exitCode ?? 0);
    } catch (error) {
      this.logger.error(error);
      process.exit(1);
    }
  }
}
