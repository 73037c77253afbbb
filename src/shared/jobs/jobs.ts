import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import PgBoss from 'pg-boss';
import { Settings } from '../../config/settings';
import { Transaction } from '../persistence/transaction';
import { JOBS_SCHEMA } from './install';
import type { Queue } from './queues';
import { WorkLoop } from './work-loop';

export interface Job<T extends object> {
  readonly data: T;
  /** Higher ones are taken first; of equal ones the oldest. */
  readonly priority?: number;
}

/** Executes one job. `stopping` is aborted when the process stops: the work should then end soon. */
export type JobHandler<T extends object> = (data: T, stopping: AbortSignal) => Promise<void>;

/** In hours: what takes longer than pg-boss lets a job take is the business of who enqueued it. */
const LONGEST_JOB = 23;

/**
 * The queue of work that happens outside of requests, carried by pg-boss in the same database. A job that is enqueued
 * in a transaction is there when that commits, and only then. Each job is handed to one worker once: what must be
 * done again after a failure, or after the death of a worker, is enqueued again by the context that it belongs to.
 */
@Injectable()
export class Jobs implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Jobs');
  private readonly stopping = new AbortController();
  private readonly loops = new Map<Queue, WorkLoop<PgBoss.Job>>();
  private readonly boss: PgBoss;

  constructor(
    private readonly settings: Settings,
    transaction: Transaction,
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
      jobs.map(({ data, priority = 0 }) => ({
        name: queue,
        data,
        priority,
        retryLimit: 0,
        expireInSeconds: LONGEST_JOB * 3600,
      })),
    );
  }

  /** Declares who executes the jobs of a queue, before the application has started. Not of a process of role `api`. */
  work<T extends object>(queue: Queue, concurrency: number, handle: JobHandler<T>): void {
    const loop = new WorkLoop<PgBoss.Job>({
      concurrency,
      take: (most) => this.fetch(queue, most),
      execute: (job) => this.execute(queue, handle as JobHandler<object>, job),
    });
    this.loops.set(queue, loop);
  }

  /** Has this process look for jobs of the queue now: to be called when the transaction that enqueued some has ended. */
  nudge(queue: Queue): void {
    this.loops.get(queue)?.nudge();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.boss.start();
    if (this.settings.role !== 'api') for (const loop of this.loops.values()) loop.start();
  }

  /** Takes no more jobs, tells those that run to end, and waits until they have. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.loops.values()].map((loop) => loop.stop()));
    await this.boss.stop({ graceful: false, close: false, wait: true });
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

  private async execute(queue: Queue, handle: JobHandler<object>, job: PgBoss.Job): Promise<void> {
    try {
      await handle(job.data, this.stopping.signal);
      await this.boss.complete(queue, job.id);
    } catch (error) {
      this.logger.error(error);
      await this.boss.fail(queue, job.id).catch((failure) => this.logger.error(failure));
    }
  }
}
