import type { Readable } from 'node:stream';
import { Injectable, Logger } from '@nestjs/common';
import { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { Settings } from '../../config/settings';
import type { RecordFormat, Selection } from '../domain/event-store';
import { RecordQuery } from './record-query';

const APPLICATION = 'hedgerow export';

/**
 * Exports read along an index, from the first record on, and leave the other processors to those who wait. What is
 * computed of an event is not remembered for others that might be the same.
 */
const BEGIN = `
  BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL enable_seqscan = off;
  SET LOCAL enable_bitmapscan = off;
  SET LOCAL enable_hashjoin = off;
  SET LOCAL enable_mergejoin = off;
  SET LOCAL enable_sort = off;
  SET LOCAL enable_memoize = off;
  SET LOCAL max_parallel_workers_per_gather = 0;
  SET LOCAL jit = off`;

/** COPY takes no parameters: what it refers to are settings of its transaction. */
const SET_VALUES = `
  SELECT pg_backend_pid() AS pid, set_config('hedgerow.v' || number, value, true)
    FROM unnest($1::text[]) WITH ORDINALITY AS v (value, number)`;

const TERMINATE = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = '${APPLICATION}'`;

/**
 * Characters that JSON holds only in their escaped form: so nothing is ever quoted, and each line is the JSON itself.
 * The text format would double its backslashes.
 */
const COPY_OPTIONS: Record<RecordFormat, string> = {
  'json-lines': `FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02'`,
  'copy-text': 'FORMAT text',
};

/** Reads records on connections of their own, which no statement timeout ends and no request waits for. */
@Injectable()
export class RecordReader {
  private readonly logger = new Logger(RecordReader.name);

  constructor(private readonly settings: Settings) {}

  /** See `EventStore.count`. */
  async count(selection: Selection, signal?: AbortSignal): Promise<number> {
    const query = await RecordQuery.of(selection);
    const { client, pid } = await this.begin(query);
    const abandon = () => void this.abandon(client, pid);
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', abandon, { once: true });
      const { rows } = await client.query<{ count: string }>(query.count());
      return Number(rows[0]?.count);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', abandon);
      await client.end();
    }
  }

  /** See `EventStore.read`. */
  async read(selection: Selection, format: RecordFormat): Promise<Readable> {
    const query = await RecordQuery.of(selection);
    const { client, pid } = await this.begin(query);
    const copy = `COPY (${query.records(format)}) TO STDOUT (${COPY_OPTIONS[format]})`;
    const records = client.query(copyTo(copy));
    // Whoever reads is told by their own listener; once they have gone, nobody is to be told.
    records.on('error', () => records.destroy());
    records.once('close', () => {
      if (records.readableEnded) client.end().catch(() => undefined);
      else void this.abandon(client, pid);
    });
    return records;
  }

  private async begin(query: RecordQuery): Promise<{ client: Client; pid: number }> {
    const client = this.client();
    try {
      await client.connect();
      await client.query(BEGIN);
      const { rows } = await client.query<{ pid: number }>(SET_VALUES, [query.values]);
      return { client, pid: rows[0]?.pid ?? 0 };
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  /** PostgreSQL by itself would notice that nobody listens only when it next sends something. */
  private async abandon(client: Client, pid: number): Promise<void> {
    (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    const other = this.client();
    try {
      await other.connect();
      await other.query(TERMINATE, [pid]);
    } catch (error) {
      this.logger.warn(
        `An abandoned read may go on for a while: ${error instanceof Error ? error.message : error}`,
      );
    } finally {
      await other.end().catch(() => undefined);
    }
  }

  private client(): Client {
    const client = new Client({
      connectionString: this.settings.databaseUrl ?? '',
      application_name: APPLICATION,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      options: '-c TimeZone=UTC -c statement_timeout=0',
    });
    // The loss of the connection fails what is under way on it.
    client.on('error', () => undefined);
    return client;
  }
}
