import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { ProjectBusy } from '../domain/capture-errors';

/** Any number that no other advisory lock of two numbers has; the second is the project's id. */
const CLASS = 4_703_653;

/** In milliseconds. Whoever waits keeps a connection, and is better told to come again. */
const LONGEST_WAIT = 5_000;

const lock = (name: string, call: string) =>
  new Statement<never>(
    `arrival.${name}`,
    `SELECT set_config('lock_timeout', '${LONGEST_WAIT}', true), ${call}(${CLASS}, $1::integer)`,
  );

const LOCKS = {
  shared: lock('lock_shared', 'pg_advisory_xact_lock_shared'),
  exclusive: lock('lock_exclusive', 'pg_advisory_xact_lock'),
};

/** Nothing of a project that is being deleted, however long that takes. */
const AT = new Statement<{ at: string }>(
  'arrival.at',
  `SELECT greatest($2::timestamptz, closed.until)::text AS at
     FROM projects p LEFT JOIN closed_arrivals closed ON closed.project_id = p.id
    WHERE p.id = $1 FOR KEY SHARE OF p SKIP LOCKED`,
);

const EXISTS = new Statement<object>('arrival.exists', 'SELECT FROM projects WHERE id = $1');

const CLOSE = new Statement<never>(
  'arrival.close',
  `INSERT INTO closed_arrivals AS closed (project_id, until) VALUES ($1, $2)
   ON CONFLICT (project_id) DO UPDATE SET until = excluded.until WHERE closed.until < excluded.until`,
);

/** Decides when what comes in has arrived: never in a time that is closed (ADR 12). */
@Injectable()
export class ArrivalRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * The time of arrival of what the transaction writes: `now`, or when that is closed, the end of what is. The project
   * is not closed, and with `exclusive` nothing else arrives in it, until the transaction ends.
   *
   * The lock needs a statement of its own: what is read in the same one would be as it was before the wait.
   * The project is locked before anything of it is: its deletion locks it first as well.
   * @param now by the clock of this process, which may be behind those of others
   * @throws NotFound
   * @throws ProjectBusy while it is being changed or deleted
   */
  async begin(projectId: number, now: Date, mode: keyof typeof LOCKS): Promise<string> {
    await this.transaction.rows(LOCKS[mode], [projectId]);
    const [row] = await this.transaction.rows(AT, [projectId, now]);
    if (row) return row.at;
    const [project] = await this.transaction.rows(EXISTS, [projectId]);
    throw project ? new ProjectBusy() : new NotFound();
  }

  /** Waits for what is under way. @throws NotFound */
  close(projectId: number, until: Date): Promise<void> {
    return this.transaction.run(async () => {
      await this.transaction.rows(LOCKS.exclusive, [projectId]);
      await this.transaction.rows(CLOSE, [projectId, until]);
    });
  }
}
