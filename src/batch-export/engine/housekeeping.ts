import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/domain/clock';
import { Transaction } from '../../shared/persistence/transaction';
import { LogEntryRepository } from '../persistence/log-entry.repository';
import { RunRepository } from '../persistence/run.repository';
import type { QueuedRun } from '../persistence/run.statements';
import { RunQueue } from './run-queue';

/** In milliseconds: for how long log entries are kept. */
const RETENTION = 30 * 24 * 3_600_000;
/** How many log entries one transaction deletes. */
const BATCH = 1_000;
/** In milliseconds: after how long it is looked whether the job of a run that waits is still there. */
const PATIENCE = 60_000;

/** What is no matter of seconds. */
@Injectable()
export class Housekeeping {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly runs: RunRepository,
    private readonly queue: RunQueue,
    private readonly entries: LogEntryRepository,
  ) {}

  /**
   * A worker that died between taking a job and beginning the attempt has left a run behind that no worker would get:
   * it is queued again. One job too many does no harm, since an attempt begins only with a run that waits.
   */
  async requeueLostRuns(): Promise<void> {
    const moment = new Date(this.clock.now().getTime() - PATIENCE);
    let last: QueuedRun | null = null;
    for (;;) {
      const queued: QueuedRun[] = await this.runs.queuedBefore(moment, last);
      last = queued.at(-1) ?? null;
      if (!last) return;
      const waiting = await this.queue.waiting(queued.map(({ job }) => job));
      const lost = queued.filter(({ job }) => !waiting.has(job));
      if (lost.length > 0) await this.requeue(lost);
    }
  }

  async deleteOldLogEntries(): Promise<void> {
    const moment = new Date(this.clock.now().getTime() - RETENTION);
    let deleted = BATCH;
    while (deleted === BATCH) {
      deleted = await this.transaction.run(() => this.entries.deleteBefore(moment, BATCH));
    }
  }

  private async requeue(lost: readonly QueuedRun[]): Promise<void> {
    await this.transaction.run(async () => {
      const runs = await this.runs.stillQueued(lost);
      this.queue.queue(runs, this.clock.now());
      await this.runs.save(...runs);
      await this.queue.add(runs);
    });
    this.queue.nudge();
  }
}
