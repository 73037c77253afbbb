import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Jobs } from '../../shared/jobs/jobs';
import type { Run } from '../domain/run';

const QUEUE = 'batch-export-runs';
/** What is due comes before what is fetched from the past. */
const PRIORITIES = { schedule: 1, backfill: 0 } as const;

/** What a job says: the row of the run is the truth. */
export interface RunJob {
  readonly runId: string;
}

/** The runs that wait for a worker. */
@Injectable()
export class RunQueue {
  constructor(private readonly jobs: Jobs) {}

  /** Has the runs wait, each as a job of its own; they are to be saved, and `add` called, in the same transaction. */
  queue(runs: readonly Run[], at: Date): void {
    for (const run of runs) run.queue(uuidv7(), at);
  }

  /** Enqueues the jobs that the runs wait as. */
  async add(runs: readonly Run[]): Promise<void> {
    await this.jobs.enqueue<RunJob>(
      QUEUE,
      runs.map(({ id, job, backfillId }) => ({
        id: job ?? uuidv7(),
        data: { runId: id },
        priority: backfillId === null ? PRIORITIES.schedule : PRIORITIES.backfill,
      })),
    );
  }

  /** To be called when the transaction that added runs has ended. */
  nudge(): void {
    this.jobs.nudge(QUEUE);
  }

  /** Those of the jobs that no worker has taken yet. */
  waiting(jobs: readonly string[]): Promise<Set<string>> {
    return this.jobs.waiting(QUEUE, jobs);
  }

  /** Declares who executes runs. `stopping` is aborted when the process stops. */
  work(concurrency: number, execute: (runId: string, stopping: AbortSignal) => Promise<void>): void {
    this.jobs.work<RunJob>(QUEUE, concurrency, ({ runId }, stopping) => execute(runId, stopping));
  }
}
