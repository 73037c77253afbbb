import type { Socket } from 'node:net';
import { finished, type Readable } from 'node:stream';
import { Client, type ClientConfig, type QueryResult } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { AddressPolicy } from '../../../shared/net/address-policy';
import type { Config } from '../../domain/destination-rules';
import { countedLines, unlessAborted } from '../records';
import { destinationFailed, NO_TLS, TookTooLong } from './failures';
import { ServerAddress } from './server-address';

/** How long what may take, in milliseconds. */
export interface Patience {
  readonly connect: number;
  /** A statement that has little to do. */
  readonly statement: number;
  /** One that waits for others, or has all records to do with; but for COPY, which takes as long as there is data. */
  readonly work: number;
  /** Data that waits for the server to take it. */
  readonly stall: number;
}

/** Who a session is for: how it is to be patient, and when to end. */
export interface SessionOptions {
  readonly policy: AddressPolicy;
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

/**
 * In bytes, for one answer. All that is asked for are rows of the catalog, and whether the server did as it was told,
 * yet pg keeps whatever comes until the answer ends.
 */
const LONGEST_ANSWER = 8 * 1024 * 1024;

/** The source of the records failed, not who they were sent to. */
class SourceFailed extends Error {}

/** A connection to a server that speaks PostgreSQL's protocol. What it throws is a DeliveryFailed, or the signal's. */
export class Session {
  private lose!: (reason: unknown) => void;
  /** Rejects when the connection is of no use any longer. */
  private readonly lost = new Promise<never>((_, reject) => {
    this.lose = reject;
  });
  /** How much of the current answer has come, in bytes. */
  private received = 0;
  private readonly abort = () => this.lose(this.options.signal.reason);

  private constructor(
    private readonly client: Client,
    private readonly socket: Socket,
    private readonly secrets: readonly string[],
    private readonly options: SessionOptions,
  ) {
    this.lost.catch(() => this.cut());
    client.on('error', this.lose);
    client.on('end', () => this.lose(new Error('The connection ended')));
    const { connection } = client;
    // With TLS, what pg reads comes from another stream than before.
    for (const event of ['connect', 'sslconnect']) connection.on(event, () => this.limit(connection.stream));
    options.signal.addEventListener('abort', this.abort, { once: true });
  }

  /**
   * With TLS, and a certificate that is checked unless `has_self_signed_cert`. A server on this machine that has no
   * TLS is spoken to without: nobody is in between.
   */
  static async open(config: Config, options: SessionOptions): Promise<Session> {
    const secrets = [String(config.user), String(config.password)];
    try {
      const address = await unlessAborted(
        ServerAddress.of(String(config.host), options.policy),
        options.signal,
      );
      const connect = (ssl: ClientConfig['ssl']) =>
        Session.connect(config, ssl, address.socket(), secrets, options);
      if (config.ssl_mode === 'disable') return await connect(false);
      try {
        return await connect({ rejectUnauthorized: config.has_self_signed_cert !== true });
      } catch (error) {
        const hasNoTls = error instanceof Error && error.message === NO_TLS;
        if (hasNoTls && address.isThisMachine) return await connect(false);
        throw error;
      }
    } catch (error) {
      throw destinationFailed(error, options.signal, secrets);
    }
  }

  private static async connect(
    config: Config,
    ssl: ClientConfig['ssl'],
    socket: Socket,
    secrets: readonly string[],
    options: SessionOptions,
  ): Promise<Session> {
    options.signal.throwIfAborted();
    const client = new Client({
      host: String(config.host),
      port: Number(config.port),
      user: String(config.user),
      // As a text, an empty one would stand for whatever password this process has in its environment.
      password: () => String(config.password),
      database: String(config.database),
      application_name: 'hedgerow',
      ssl,
      stream: () => socket,
      connectionTimeoutMillis: options.patience.connect,
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    });
    const session = new Session(client, socket, secrets, options);
    try {
      await session.orLost(client.connect());
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  query(sql: string, values: readonly unknown[] = []): Promise<QueryResult> {
    return this.answerTo(sql, values, this.options.patience.statement);
  }

  /** As `query`, for what takes its time. */
  work(sql: string, values: readonly unknown[] = []): Promise<QueryResult> {
    return this.answerTo(sql, values, this.options.patience.work);
  }

  /**
   * Sends the records to `COPY ... FROM STDIN`. An error of the source is thrown as it is.
   * @param tell these many more records and bytes were sent
   * @returns how many records the server took
   */
  async copyIn(
    sql: string,
    source: Readable,
    tell: (records: number, bytes: number) => void,
  ): Promise<number> {
    const { stall } = this.options.patience;
    this.received = 0;
    const copy = this.client.query(copyFrom(sql));
    const timer = setTimeout(() => {
      const waits = copy.writableLength > 0 || source.readableEnded;
      if (waits) this.lose(new TookTooLong(`The server took no data for ${stall / 1000} s`));
      else timer.refresh();
    }, stall);
    const counted = countedLines((records, bytes) => {
      timer.refresh();
      tell(records, bytes);
    });
    const copied = new Promise<void>((resolve, reject) => {
      finished(source, (cause) => {
        if (cause) reject(new SourceFailed('', { cause }));
      });
      copy.on('error', reject).once('finish', resolve);
      source.pipe(counted).pipe(copy);
    });
    try {
      await this.orLost(copied);
      return copy.rowCount;
    } catch (error) {
      // What still waits in the stream must not be sent after an error that the server told.
      this.cut();
      throw this.failed(error);
    } finally {
      clearTimeout(timer);
      source.destroy();
    }
  }

  /** Ends the connection; a transaction that is open is undone. */
  async close(): Promise<void> {
    this.options.signal.removeEventListener('abort', this.abort);
    const timer = setTimeout(() => this.cut(), this.options.patience.connect);
    await this.client.end().catch(() => {});
    clearTimeout(timer);
    this.cut();
  }

  private async answerTo(sql: string, values: readonly unknown[], patience: number): Promise<QueryResult> {
    const late = () => this.lose(new TookTooLong(`The server did not answer within ${patience / 1000} s`));
    const timer = setTimeout(late, patience);
    this.received = 0;
    try {
      return await this.orLost(this.client.query(sql, [...values]));
    } catch (error) {
      throw this.failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private limit(stream: Readable): void {
    stream.on('data', ({ length }: Buffer) => {
      this.received += length;
      if (this.received <= LONGEST_ANSWER) return;
      const most = `${LONGEST_ANSWER / 1024 / 1024} MB`;
      this.lose(new Error(`The server sent more than ${most} in one answer: nothing can be exported to it`));
    });
  }

  private cut(): void {
    this.socket.destroy();
  }

  private orLost<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.lost]);
  }

  private failed(error: unknown): unknown {
    const { signal } = this.options;
    return error instanceof SourceFailed && !signal.aborted
      ? error.cause
      : destinationFailed(error, signal, this.secrets);
  }
}
