import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient, QueryResult } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { Ambient } from '../ambient/ambient';
import { DomainError, NotFound } from '../domain/domain-error';
import { Page, type PageWindow, Representation } from '../domain/representation';
import { CurrentRequest } from '../request/current-request';
import { isPlanStale, isReferenceGone, isRetryable } from './database-errors';
import { SpareConnections } from './spare-connections';
import { type PageRow, Statement } from './statement';

const ATTEMPTS = 3;

/**
 * How many may wait for each connection: behind statements of 50 ms the last one waits for 5 s, after which a wait ends
 * anyway (`connectTimeout`). Whoever comes later would only have others wait in vain.
 */
export const MOST_WAITING = 100;

/** So many wait for the database that a request is better sent again later: 503. */
export class TooBusy extends DomainError {
  constructor() {
    super('unavailable', 'service_unavailable', 'The server has too much to do.');
  }
}

const TAKE_TIME = new Statement<never>(
  'transaction.take_time',
  "SELECT set_config('statement_timeout', '0', true)",
);

interface Open {
  readonly manager: EntityManager;
  /** What was sent and not waited for. */
  readonly sent: Promise<unknown>[];
  /** Within a savepoint. */
  readonly isPart: boolean;
}

type Sendable = string | number | boolean | null;

/**
 * The one way to the database. Application services open a transaction with `run`; repositories take its
 * `manager`; read queries use `rows`, `resource` and `page`, which join the transaction there is, if any.
 */
@Injectable()
export class Transaction {
  private readonly current = new Ambient<Open>();
  private readonly over = new WeakSet<EntityManager>();
  private readonly isAside = new Ambient<true>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly request: CurrentRequest,
    private readonly spare: SpareConnections,
  ) {}

  /**
   * Commits when `work` ends well, rolls everything back when it throws. Joins a transaction that is open. Runs `work`
   * again when it lost against another transaction, so it must get what it works on by itself.
   * @throws NotFound when something that is referred to was deleted meanwhile.
   * @throws TooBusy as everything here does that is asked for by a request.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.open) return work();
    for (let attempt = 1; ; attempt += 1) {
      this.mustHaveRoom();
      try {
        return await this.attempt(work);
      } catch (error) {
        if (isReferenceGone(error)) throw new NotFound();
        if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
      }
    }
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    const sent: Promise<unknown>[] = [];
    const outcome = this.dataSource.transaction((manager) =>
      this.current.run({ manager, sent, isPart: false }, work).finally(() => this.over.add(manager)),
    );
    await outcome.catch(() => undefined);
    // First: what followed such a failure was only told that there had been one.
    await Promise.all(sent);
    return outcome;
  }

  /** Undoes what `work` did, and that alone, when it throws: the transaction can go on (a savepoint). */
  part<T>(work: () => Promise<T>): Promise<T> {
    const { manager, sent } = this.begun();
    return manager.transaction(() => this.current.run({ manager, sent, isPart: true }, work));
  }

  /** @throws Error outside of `run`: nothing is written without a transaction. */
  get manager(): EntityManager {
    return this.begun().manager;
  }

  private begun(): Open {
    const open = this.open;
    if (!open) throw new Error('No transaction is open');
    return open;
  }

  /** Whatever is still at work when its transaction is over is in none; one whose connection is lost is not over yet. */
  private get open(): Open | undefined {
    const open = this.current.get();
    return open && this.over.has(open.manager) ? undefined : open;
  }

  /** Reads on spare connections, past all that wait: so that the server can tell how it fares when there are many. */
  aside<T>(read: () => Promise<T>): Promise<T> {
    return this.isAside.run(true, read);
  }

  /** Lets what follows in the open transaction take as long as it needs, as the deletion of all that a tenant has may. */
  async takeTime(): Promise<void> {
    await this.rows(TAKE_TIME, []);
  }

  async rows<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.ask(statement, values);
    } catch (error) {
      // Within a transaction it is `run` that begins again.
      if (!isPlanStale(error) || this.open) throw error;
      return this.ask(statement, values);
    }
  }

  private async ask<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    const { rows } = await query(await this.client(), statement, values);
    return rows as Row[];
  }

  /** As `rows`, for what is never done by itself. @throws Error when no transaction is open */
  write<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    this.begun();
    return this.rows(statement, values);
  }

  /**
   * As `write`, for what answers nothing: it is not waited for, but goes with what comes next, be it the end of the
   * transaction. Where it fails, PostgreSQL rolls back instead of a commit, and `run` throws the failure. In a `part` it
   * is waited for: PostgreSQL would undo the part alone. Values are those that are sent in any case: what the client
   * could not write would not fail the transaction.
   */
  async send(statement: Statement<never>, values: readonly Sendable[]): Promise<void> {
    const { sent, isPart } = this.begun();
    if (isPart) {
      await this.write(statement, values);
      return;
    }
    const sending = query(await this.client(), statement, values);
    // Looked at in the end; until then it is nobody's.
    sending.catch(() => undefined);
    sent.push(sending);
  }

  /** For a library that brings its own SQL; joins the transaction there is, as `rows` does. */
  async execute(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    const client = await this.client();
    return client.query({ text, values });
  }

  /** @throws NotFound when there is no such row. */
  async resource(
    statement: Statement<{ json: string }>,
    values: readonly unknown[],
  ): Promise<Representation> {
    const [row] = await this.rows(statement, values);
    if (!row) throw new NotFound();
    return new Representation(row.json);
  }

  async page(statement: Statement<PageRow>, values: readonly unknown[], window: PageWindow): Promise<Page> {
    const rows = await this.rows(statement, [...values, window.limit, window.offset]);
    const [first] = rows;
    if (!first) throw new Error(`${statement.name} answered no row`);
    const shown = rows.reduce((sum, row) => sum + row.shown, 0);
    return new Page(
      first.count,
      rows.flatMap(({ results }) => results ?? []),
      window,
      shown,
    );
  }

  private async client(): Promise<Pool | PoolClient> {
    const runner = this.open?.manager.queryRunner;
    if (runner) return (await runner.connect()) as PoolClient;
    if (this.isAside.get()) return this.spare.pool;
    this.mustHaveRoom();
    return this.pool;
  }

  /** Work of our own, which is bounded where it begins, waits its turn. */
  private mustHaveRoom(): void {
    const { waitingCount, options } = this.pool;
    if (waitingCount >= options.max * MOST_WAITING && this.request.get() !== null) throw new TooBusy();
  }

  private get pool(): Pool {
    return (this.dataSource.driver as unknown as { master: Pool }).master;
  }
}

const query = (
  client: Pool | PoolClient,
  { name, text, prepared }: Statement<unknown>,
  values: readonly unknown[],
): Promise<QueryResult> => client.query({ name: prepared ? name : '', text, values: [...values] });
