import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../../shared/domain/clock';
import { isDatabaseUnavailable } from '../../shared/persistence/database-errors';
import { Transaction } from '../../shared/persistence/transaction';
import { LONGEST_RUN, LONGEST_SILENCE, Run } from '../domain/run';
import { RunLost } from '../domain/run-errors';
import { dueIntervals, nextRunAt } from '../domain/schedule';
import { RunRepository } from '../persistence/run.repository';
import { ScheduleRepository } from '../persistence/schedule.repository';
import { BackfillProgress } from './backfill-progress';
import { RunQueue } from './run-queue';
import { RunTransitions } from './run-transitions';

/** How many exports one transaction gives runs to, and how many runs to each of them: the rest has its turn next. */
const EXPORTS = 100;
const INTERVALS = 10;
/** In milliseconds: what workers have, when the database is back, to tell that they are alive. */
const GRACE = 5_000;
/** What a single tick does at most, of what has come up meanwhile. */
const ROUNDS = 100;

/**
 * What has to happen because time has passed. Any number of processes may tick at once: each thing is done by the one
 * that has locked its row, and what others have locked is left to them.
 */
@Injectable()
export class Scheduler {
  /** Since when the database has answered every tick; null while it does not. */
  private answersSince: Date | null = new Date(0);

  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly schedules: ScheduleRepository,
    private readonly runs: RunRepository,
    private readonly backfills: BackfillProgress,
    private readonly queue: RunQueue,
    private readonly transitions: RunTransitions,
  ) {}

  /** Does all that is due; where one step fails, the others are done. @throws what failed first */
  async tick(): Promise<void> {
    const steps = [this.scheduleRuns, this.retryRuns, this.topUpBackfills, this.finishBackfills];
    const results = await inTurn([
      () => this.timeOutRuns(),
      () => this.takeOverRuns(),
      ...steps.map((step) => () => this.exhaust(step)),
    ]);
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    this.answersSince = failures.some(isDatabaseUnavailable) ? null : (this.answersSince ?? this.clock.now());
    if (failures.length > 0) throw failures[0];
  }

  /** What is done is no longer found. The bound keeps one step from keeping the others waiting for ever. */
  private async exhaust(step: () => Promise<number>): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      if ((await this.transaction.run(() => step.call(this))) === 0) return;
      this.queue.nudge();
    }
  }

  /** Gives a run to each data interval that has ended: its row and the export's next mark are one. */
  private async scheduleRuns(): Promise<number> {
    const now = this.clock.now();
    const due = await this.schedules.due(now, EXPORTS);
    if (due.length === 0) return 0;
    const planned = due.map((schedule) => {
      const intervals = dueIntervals(schedule, now, INTERVALS);
      const scheduledUntil = intervals.at(-1)?.end ?? schedule.scheduledUntil;
      const mark = { id: schedule.id, scheduledUntil, nextRunAt: nextRunAt({ ...schedule, scheduledUntil }) };
      return { mark, runs: intervals.map((interval) => Run.of(uuidv7(), schedule.id, null, interval, now)) };
    });
    const runs = planned.flatMap((plan) => plan.runs);
    for (const run of runs) run.queue(now);
    await this.runs.add(runs, now);
    await this.schedules.advance(planned.map(({ mark }) => mark));
    return due.length;
  }

  private async retryRuns(): Promise<number> {
    const now = this.clock.now();
    const runs = await this.runs.dueForRetry(now);
    for (const run of runs) run.queue(now);
    await this.runs.save(...runs);
    return runs.length;
  }

  private topUpBackfills(): Promise<number> {
    return this.backfills.topUp(null, this.clock.now());
  }

  private finishBackfills(): Promise<number> {
    return this.backfills.finish(null, this.clock.now());
  }

  /** Not just after the database was away, when every worker has been silent. */
  private async takeOverRuns(): Promise<void> {
    if (!this.answersSince || this.answersSince > this.before(GRACE)) return;
    const silent = await this.runs.silentSince(this.before(LONGEST_SILENCE));
    for (const run of silent) await unlessLost(() => this.transitions.takeOver(run));
  }

  private async timeOutRuns(): Promise<void> {
    const outstayed = await this.runs.startedBefore(this.before(LONGEST_RUN));
    for (const run of outstayed) await unlessLost(() => this.transitions.timeOut(run));
  }

  private before(milliseconds: number): Date {
    return new Date(this.clock.now().getTime() - milliseconds);
  }
}

async function inTurn(steps: readonly (() => Promise<void>)[]): Promise<PromiseSettledResult<void>[]> {
  const results: PromiseSettledResult<void>[] = [];
  for (const step of steps) results.push(...(await Promise.allSettled([step()])));
  return results;
}

/** Another process may have been quicker. */
async function unlessLost(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
  }
}
