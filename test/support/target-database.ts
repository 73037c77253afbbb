import { Client } from 'pg';
import type { Config } from '../../src/batch-export/domain/destination-rules';
import { createDatabase, dropDatabase, urlOf } from './database';

let count = 0;

/** A database of somebody's, that exports go to. */
export class TargetDatabase {
  private constructor(
    private readonly name: string,
    readonly client: Client,
  ) {}

  static async create(): Promise<TargetDatabase> {
    count += 1;
    const name = `hedgerow_target_${process.pid}_${Date.now()}_${count}`;
    await createDatabase(name, null);
    const client = new Client({ connectionString: urlOf(name) });
    await client.connect();
    return new TargetDatabase(name, client);
  }

  /** Does what is told in a transaction that stays open while `work` is done, and is then undone. */
  async during<T>(sql: string, work: () => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: this.url.toString() });
    await client.connect();
    try {
      await client.query(`BEGIN; ${sql}`);
      return await work();
    } finally {
      await client.end();
    }
  }

  async drop(): Promise<void> {
    await this.client.end();
    await dropDatabase(this.name);
  }

  get port(): number {
    return Number(this.url.port || 5432);
  }

  /** How to get there, complete, as a writer is told. */
  config(rest: Config = {}): Config {
    return {
      host: '127.0.0.1',
      port: this.port,
      user: decodeURIComponent(this.url.username),
      password: decodeURIComponent(this.url.password) || 'no password is asked for',
      database: this.name,
      schema: 'public',
      table_name: 'events',
      has_self_signed_cert: false,
      ssl_mode: 'require',
      ...rest,
    };
  }

  async rows<Row extends object = Record<string, unknown>>(
    sql: string,
    values: unknown[] = [],
  ): Promise<Row[]> {
    return (await this.client.query<Row>(sql, values)).rows;
  }

  /** How many sessions exports have there. */
  async sessions(): Promise<number> {
    const [row] = await this.rows<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = $1 AND application_name = 'hedgerow'",
      [this.name],
    );
    return row?.count ?? 0;
  }

  private get url(): URL {
    return new URL(urlOf(this.name));
  }
}
