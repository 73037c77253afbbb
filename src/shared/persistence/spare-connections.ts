import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { Settings } from '../../config/settings';

/** In milliseconds: a database that takes longer does not answer. */
const PATIENCE = 2_000;
/** In milliseconds: longer than probes and scrapes are apart. */
const IDLE = 60_000;

/** Connections that no request waits for, on which the server finds out how it fares. */
@Injectable()
export class SpareConnections implements OnApplicationShutdown {
  readonly pool: Pool;

  constructor({ databaseUrl }: Settings) {
    this.pool = new Pool({
      connectionString: databaseUrl ?? '',
      application_name: 'hedgerow health',
      max: 2,
      connectionTimeoutMillis: PATIENCE,
      query_timeout: PATIENCE,
      idleTimeoutMillis: IDLE,
      options: '-c TimeZone=UTC',
    });
    // Whoever asks next has a new one made.
    this.pool.on('error', () => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}
