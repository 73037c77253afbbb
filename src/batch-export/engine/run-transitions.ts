import { Injectable, Logger } from '@nestjs/common';
import { ActivityLog } from '../../activity/index';
import { Clock } from '../../shared/domain/clock';
import { isDatabaseUnavailable } from '../../shared/persistence/database-errors';
import { Transaction } from '../../shared/persistence/transaction';
import { type BatchExport, FAILURES_TO_PAUSE } from '../domain/batch-export';
import { isoformat } from '../domain/batch-export-errors';
import { retryAt } from '../domain/retry';
import { LONGEST_RUN, LONGEST_SILENCE, type Run, type RunProgress, type RunStatus } from '../domain/run';
import { RunLost } from '../domain/run-errors';
import { BatchExportRepository } from '../persistence/batch-export.repository';
import { RunRepository } from '../persistence/run.repository';
import type { RunPlace } from '../persistence/run.statements';
import { BackfillProgress } from './backfill-progress';
import type { Claim } from './claim';
import { OpenRuns } from './open-runs';
import { PauseNotice } from './pause-notice';
import { RunLog } from './run-log';
import { RunMetrics } from './run-metrics';
import { RunQueue } from './run-queue';
import { RunTurns } from './run-turns';

/** A run could not be begun, which is neither its worker's fault nor the database's. */
export class NotStarted extends Error {
  constructor(runId: string, cause: unknown) {
    super(`Run ${runId} cannot be started`, { cause });
  }
}

const GIVEN_UP =
  `The batch export is paused: ${FAILURES_TO_PAUSE} of its runs in a row have failed. Mend what the last error says, ` +
  "then unpause it; with 'backfill' true, what it misses from now on is exported as well. The runs that have failed " +
  'can be retried.';

/** Every change of a run that goes on, each in a transaction with all that follows from it. */
@Injectable()
export class RunTransitions {
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly batchExports: BatchExportRepository,
    private readonly backfills: BackfillProgress,
    private readonly runs: RunRepository,
    private readonly queue: RunQueue,
    private readonly turns: RunTurns,
    private readonly openRuns: OpenRuns,
    private readonly log: RunLog,
    private readonly activity: ActivityLog,
    private readonly notice: PauseNotice,
    private readonly metrics: RunMetrics,
  ) {}

  /**
   * Begins an attempt of the run that is next of those that wait for a worker.
   * @param told what the log says of where the data goes
   * @returns null when there is none
   * @throws NotStarted when it is the run's fault: it waits again, behind the others
   */
  async startNext(told: (batchExport: BatchExport) => string): Promise<Claim | null> {
    let next: string | null = null;
    try {
      return await this.transaction.run(async () => {
        next = await this.turns.next();
        return next === null ? null : await this.start(next, told);
      });
    } catch (error) {
      if (next === null || isDatabaseUnavailable(error)) throw error;
      await this.runs.postpone(next, this.clock.now());
      throw new NotStarted(next, error);
    }
  }

  private async start(runId: string, told: (batchExport: BatchExport) => string): Promise<Claim | null> {
    const run = await this.runs.find(runId);
    if (!run) return null;
    const batchExport = await this.batchExports.findOf(run);
    const now = this.clock.now();
    if (!batchExport) run.cancel(now);
    else if (!run.start(batchExport.version, now)) return null;
    await this.runs.save(run);
    if (!batchExport) return null;
    const { start, end } = run.interval;
    const message =
      `Attempt ${run.number} started: data that arrived from ${isoformat(start)} to ${isoformat(end)}, to ` +
      told(batchExport);
    await this.log.tell(run, 'INFO', message, now);
    const { id, batchExportId } = run;
    return { id, batchExportId, attempt: run.number, run, batchExport };
  }

  /** @throws RunLost */
  complete(claim: Claim, progress: RunProgress, seconds: number): Promise<RunStatus> {
    return this.change(claim, async (run, now) => {
      run.complete(progress, now);
      const { recordsCompleted: records, bytes } = progress;
      const message = `Completed: ${records} records, ${bytes} bytes, in ${seconds.toFixed(1)} seconds`;
      await this.log.tell(run, 'INFO', message, now);
    });
  }

  /** For good. @throws RunLost */
  fail(claim: Claim, error: string): Promise<RunStatus> {
    return this.change(claim, async (run, now) => {
      run.fail(error, now);
      await this.log.tell(run, 'ERROR', `Failed: ${error}`, now);
    });
  }

  /** It is tried again, unless it has been tried often enough. @throws RunLost */
  failTransiently(claim: Claim, error: string): Promise<RunStatus> {
    return this.change(claim, async (run, now) => {
      run.failTransiently(error, Math.random(), now);
      await this.tellOfFailure(run, error, now);
    });
  }

  /** The failure is ours: it is tried again. @throws RunLost */
  interrupt(claim: Claim, error: string): Promise<RunStatus> {
    return this.change(claim, async (run, now) => {
      run.interrupt(error, retryAt(1, Math.random(), now), now);
      await this.tellOfFailure(run, error, now);
    });
  }

  /** The worker stops: another one begins the next attempt, at once. @throws RunLost */
  release(claim: Claim): Promise<RunStatus> {
    return this.change(claim, async (run, now) => {
      run.queue(now);
      const message = `Attempt ${run.number} was stopped: its worker shuts down. Another worker takes the run over.`;
      await this.log.tell(run, 'INFO', message, now);
    });
  }

  /** The worker has not been heard of for too long: another one begins the next attempt. */
  async takeOver({ id, batchExportId, attempt }: RunPlace & { attempt: number }): Promise<void> {
    await this.change({ id, batchExportId, attempt }, async (run, now) => {
      if (!run.isSilent(now)) throw new RunLost();
      const seconds = LONGEST_SILENCE / 1000;
      const error = `Its worker was not heard of for ${seconds} seconds`;
      const waits = run.takeOver(error, now);
      if (waits) run.queue(now);
      const next = waits
        ? '. Another worker takes the run over.'
        : ', and not for the first time: the run has failed.';
      await this.log.tell(
        run,
        waits ? 'WARNING' : 'ERROR',
        `Attempt ${run.number} ended: ${error}${next}`,
        now,
      );
    });
  }

  /** It has gone on for too long, in whatever attempt. */
  async timeOut({ id, batchExportId }: RunPlace): Promise<void> {
    await this.change({ id, batchExportId }, async (run, now) => {
      if (!run.hasOutstayed(now)) throw new RunLost();
      const last = run.error === null ? '' : ` The last error: ${run.error}`;
      const error = `Not completed within ${LONGEST_RUN / 3_600_000} hours of its first start.${last}`;
      run.timeOut(error, now);
      await this.log.tell(run, 'ERROR', `Timed out: ${error}`, now);
    });
  }

  private async tellOfFailure(run: Run, error: string, now: Date): Promise<void> {
    const { number, retriesAt } = run;
    await (retriesAt
      ? this.log.tell(
          run,
          'WARNING',
          `Attempt ${number} failed: ${error} It is tried again at ${isoformat(retriesAt)}.`,
          now,
        )
      : this.log.tell(run, 'ERROR', `Failed, after ${number} attempts: ${error}`, now));
  }

  /** @returns what the run has come to. @throws RunLost when it is not, or not in this attempt, any more */
  private async change(
    { id, attempt, batchExportId }: RunPlace & { attempt?: number },
    work: (run: Run, now: Date) => Promise<void>,
  ): Promise<RunStatus> {
    const [state, destination] = await this.transaction.run(async () => {
      const batchExport = await this.batchExports.lockOf({ batchExportId });
      const run = attempt === undefined ? await this.runs.find(id) : await this.runs.held(id, attempt);
      if (!batchExport || !run?.isOpen) throw new RunLost();
      const now = this.clock.now();
      await work(run, now);
      await this.runs.save(run);
      if (!run.isOpen) await this.settle(batchExport, run, now);
      return [run.state, batchExport.sendsTo] as const;
    });
    this.queue.nudge();
    if (state !== 'Starting') this.metrics.cameTo(state, destination);
    return state;
  }

  private tellOfPause({ id, organizationId, projectId, label }: BatchExport, run: Run): Promise<void> {
    return this.activity.triggeredBy({ job_type: 'batch_export_run', job_id: run.id }, () =>
      this.activity.updated(
        { organizationId, projectId, scope: 'BatchExport', itemId: id, name: label },
        { paused: false },
        { paused: true },
        'paused',
      ),
    );
  }

  /** What follows from the end of a run: for the export, and for the backfill that it belongs to. */
  private async settle(batchExport: BatchExport, run: Run, now: Date): Promise<void> {
    if (run.state === 'Completed') {
      if (batchExport.runCompleted()) await this.batchExports.save(batchExport);
    } else {
      this.logger.warn(`Run ${run.id} of batch export ${batchExport.id} ended ${run.state}: ${run.error}`);
      if (batchExport.runFailed(now)) {
        await this.openRuns.cancel(batchExport, 'too many runs in a row have failed', now);
        await this.log.tell(run, 'ERROR', GIVEN_UP, now);
        await this.tellOfPause(batchExport, run);
        await this.notice.send(batchExport, FAILURES_TO_PAUSE, run.error, now);
      }
      await this.batchExports.save(batchExport);
    }
    if (run.backfillId === null) return;
    await this.backfills.topUp(run.backfillId, now);
    await this.backfills.finish(run.backfillId, now);
  }
}
