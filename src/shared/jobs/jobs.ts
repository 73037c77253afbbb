import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import PgBoss from 'pg-boss';
import { Settings } from '../../config/settings';
import { Statement } from '../persistence/statement';
import { Transaction } from '../persistence/transaction';
import { JOBS_SCHEMA } from './install';
import type { Queue } from './queues';

export interface Job<T extends object> {
  /** By which `waiting` knows it. Of jobs enqueued at once the one with the first id is taken first. */
  readonly id?: string;
  readonly data: T;
  /** Higher ones are taken first; of equal ones the oldest. */
  readonly priority?: number;
}

/** Executes one job. `stopping` is aborted when the process stops: the work should then end soon. */
export type JobHandler<T extends object> = (data: T, stopping: AbortSignal) => Promise<void>;

interface Work {
  readonly queue: Queue;
  readonly concurrency: number;
  readonly handle: JobHandler<object>;
}

/** How long an idle worker waits before it looks for jobs again, unless it is nudged. In milliseconds. */
const PAUSE = 1_000;
/** The same while no jobs can be taken, twice as long each time. */
const LONGEST_PAUSE = 8_000;
/** In hours: what takes longer than pg-boss lets a job take is the business of who enqueued it. */
const LONGEST_JOB = 23;

const WAITING = new Statement<{ id: string }>(
  'jobs.waiting',
  `SELECT id FROM ${JOBS_SCHEMA}.job WHERE name = $1 AND id = ANY($2::uuid[]) AND state < 'active'`,
);

/**
 * The queue of work that happens outside of requests, carried by pg-boss in the same database. A job that is enqueued
 * in a transaction is there when that commits, and only then. Each job is handed to one worker once: what must be
 * done again after a failure, or after the death of a worker, is enqueued again by the context that it belongs to.
 */
@Injectable()
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly stopping = new AbortController();
  private readonly works: Work[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly sleepers = new Map<Queue, () => void>();
  private readonly nudged = new Set<Queue>();
  private readonly boss: PgBoss;
  private loops: Promise<void>[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly transaction: Transaction,
  ) {
    this.boss = new PgBoss({
      db: { executeSql: (text, values) => transaction.execute(text, values) },
      schema: JOBS_SCHEMA,
      migrate: false,
      schedule: false,
      supervise: settings.role !== 'api',
    });
    this.boss.on('error', (error) => this.logger.error(error));
  }

  /** Joins the transaction that is open, if any. */
  async enqueue<T extends object>(queue: Queue, jobs: readonly Job<T>[]): Promise<void> {
    if (jobs.length === 0) return;
    await this.boss.insert(
      jobs.map(({ id, data, priority = 0 }) => ({
        id,
        name: queue,
        data,
        priority,
        retryLimit: 0,
        expireInSeconds: LONGEST_JOB * 3600,
      })),
    );
  }

  /** Those of the jobs that no worker has taken yet. */
  async waiting(queue: Queue, ids: readonly string[]): Promise<Set<string>> {
    const rows = await this.transaction.rows(WAITING, [queue, ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /** Declares who executes the jobs of a queue, before the application has started. Not of a process of role `api`. */
  work<T extends object>(queue: Queue, concurrency: number, handle: JobHandler<T>): void {
    this.works.push({ queue, concurrency, handle: handle as JobHandler<object> });
  }

  /** Has this process look for jobs of the queue now: to be called when the transaction that enqueued some has ended. */
  nudge(queue: Queue): void {
    this.nudged.add(queue);
    this.sleepers.get(queue)?.();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.boss.start();
    if (this.settings.role !== 'api') this.loops = this.works.map((work) => this.loop(work));
  }

  /** Takes no more jobs, tells those that run to end, and waits until they have. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    for (const wake of this.sleepers.values()) wake();
    await Promise.all(this.loops);
    await Promise.all(this.running);
    await this.boss.stop({ graceful: false, close: false, wait: true });
  }

  private async loop(work: Work): Promise<void> {
    const active = new Set<Promise<void>>();
    let pause = PAUSE;
    while (!this.stopping.signal.aborted) {
      this.nudged.delete(work.queue);
      const free = work.concurrency - active.size;
      const jobs = free > 0 ? await this.fetch(work.queue, free) : [];
      for (const job of jobs ?? []) {
        const execution = this.execute(work, job).finally(() => {
          active.delete(execution);
          this.running.delete(execution);
          this.nudge(work.queue);
        });
        active.add(execution);
        this.running.add(execution);
      }
      pause = jobs ? PAUSE : Math.min(LONGEST_PAUSE, pause * 2);
      if (!jobs?.length) await this.sleep(work.queue, pause);
    }
  }

  /** In their order; null when the database does not answer. */
  private async fetch(queue: Queue, batchSize: number): Promise<PgBoss.Job[] | null> {
    try {
      const jobs = await this.boss.fetch<object>(queue, { batchSize, includeMetadata: true });
      // The right ones, but as an UPDATE returns them.
      return jobs.sort(
        (one, other) =>
          other.priority - one.priority ||
          one.createdOn.getTime() - other.createdOn.getTime() ||
          (one.id < other.id ? -1 : 1),
      );
    } catch (error) {
      this.logger.warn(
        `No jobs of ${queue} could be taken: ${error instanceof Error ? error.message : error}`,
      );
      return null;
    }
  }

  private async execute({ queue, handle }: Work, job: PgBoss.Job): Promise<void> {
    try {
      await handle(job.data, this.stopping.signal);
      await this.boss.complete(queue, job.id);
    } catch (error) {
      this.logger.error(error);
      await this.boss.fail(queue, job.id).catch((failure) => this.logger.error(failure));
    }
  }

  private async sleep(queue: Queue, pause: number): Promise<void> {
    // What was nudged while it looked may have been missed by that look.
    if (this.stopping.signal.aborted || this.nudged.has(queue)) return;
    await new Promise<void>((wake) => {
      const timer = setTimeout(wake, pause);
      this.sleepers.set(queue, () => {
        clearTimeout(timer);
        wake();
      });
    });
    this.sleepers.delete(queue);
  }
}
