import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Clock } from '../domain/clock';
import { Unavailable } from '../http/http-errors';
import { Statement } from '../persistence/statement';
import { Transaction } from '../persistence/transaction';
import { CurrentRequest } from '../request/current-request';
import { SecretBox } from '../secrets/secret-box';
import { Turns } from '../turns/turns';
import { IdempotencyKeyReused } from './idempotency-errors';

/** What was answered to a request. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: none. */
  readonly body: string | null;
}

/** Whose request it is, and which: the caller, the method with the path, and the caller's name for it. */
export interface RequestName {
  readonly caller: string;
  readonly route: string;
  readonly key: string;
}

export const KEPT_HOURS = 24;
/** In milliseconds: for a turn, when many such requests are under way. */
const LONGEST_WAIT = 5_000;

/**
 * The row of a request that runs is inserted, not yet committed: another request of the same name waits here until
 * it is, or until it is rolled back and the row is free again.
 */
const BEGIN = new Statement<{ begun: boolean }>(
  'idempotency.begin',
  `INSERT INTO idempotency_keys AS k (caller, route, key, request, created_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (caller, route, key) DO UPDATE
      SET request = excluded.request, answer = NULL, created_at = excluded.created_at
    WHERE k.created_at <= $5::timestamptz - interval '${KEPT_HOURS} hours'
   RETURNING true AS begun`,
);

const READ = new Statement<{ request: Buffer; answer: Buffer }>(
  'idempotency.read',
  'SELECT request, answer FROM idempotency_keys WHERE caller = $1 AND route = $2 AND key = $3',
);

const KEEP = new Statement(
  'idempotency.keep',
  'UPDATE idempotency_keys SET answer = $4 WHERE caller = $1 AND route = $2 AND key = $3',
);

/** Some of what is over is deleted with every request, so that it never adds up. */
const FORGET = new Statement(
  'idempotency.forget',
  `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM idempotency_keys WHERE created_at <= $1::timestamptz - interval '${KEPT_HOURS} hours'
      ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED))`,
);

/** The first answers to requests that have a name, for 24 hours. Sealed: they may show a new key, this once. */
@Injectable()
export class FirstAnswers {
  private readonly turns: Turns;

  constructor(
    { databasePoolSize }: Settings,
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly box: SecretBox,
    private readonly current: CurrentRequest,
  ) {
    const atOnce = Math.max(1, Math.floor(databasePoolSize / 2));
    this.turns = new Turns(atOnce, Math.ceil(atOnce / 2));
  }

  /**
   * Does the work, unless a request of this name has been answered. The answer is kept in the transaction of the
   * work: either both are there or neither is. An error keeps nothing, since it has changed nothing.
   * @returns the answer, and whether it is one that was given before
   * @param content what else the request says: its body and its query
   * @throws IdempotencyKeyReused when that request said something else
   */
  once(
    name: RequestName,
    content: string,
    work: () => Promise<KeptAnswer>,
  ): Promise<{ readonly answer: KeptAnswer; readonly replayed: boolean }> {
    const values = [name.caller, name.route, name.key];
    const context = values.join('\n');
    const request = hash('sha256', content, 'buffer');
    return this.inTurn(() => this.answered(values, context, request, work));
  }

  private answered(
    values: readonly string[],
    context: string,
    request: Buffer,
    work: () => Promise<KeptAnswer>,
  ): Promise<{ readonly answer: KeptAnswer; readonly replayed: boolean }> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      await this.transaction.rows(FORGET, [now]);
      const [row] = await this.transaction.rows(BEGIN, [...values, request, now]);
      if (!row?.begun) {
        const [before] = await this.transaction.rows(READ, values);
        if (!before?.request.equals(request)) throw new IdempotencyKeyReused();
        return { answer: JSON.parse(this.box.open(before.answer, context)) as KeptAnswer, replayed: true };
      }
      const answer = await work();
      await this.transaction.rows(KEEP, [...values, this.box.seal(JSON.stringify(answer), context)]);
      return { answer, replayed: false };
    });
  }

  /**
   * Such a request keeps a connection for all of its work, which may wait for another server: half of the connections
   * stay for everybody else, one user has half of the other half, and who has waited for long is told to come again.
   * @throws Unavailable
   */
  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    const patience = AbortSignal.timeout(LONGEST_WAIT);
    try {
      return await this.turns.take(this.current.owner, patience, work);
    } catch (error) {
      if (error !== patience.reason) throw error;
      throw new Unavailable('Too many requests with an Idempotency-Key are under way.');
    }
  }
}
