import { Injectable } from '@nestjs/common';
import { ActivityLog, snapshotOf } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { executionSubject } from './batch-export-activity';
import type { BatchExport } from './domain/batch-export';
import type { ExportScope } from './domain/export-scope';
import type { RunFilter } from './domain/run-filter';
import { BackfillProgress } from './engine/backfill-progress';
import { RunLog } from './engine/run-log';
import { RunMetrics } from './engine/run-metrics';
import { RunQueue } from './engine/run-queue';
import { BackfillRepository } from './persistence/backfill.repository';
import { BatchExportRepository } from './persistence/batch-export.repository';
import { RunQueries } from './persistence/run.queries';
import { RunRepository } from './persistence/run.repository';

@Injectable()
export class RunService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly activity: ActivityLog,
    private readonly batchExports: BatchExportRepository,
    private readonly backfills: BackfillRepository,
    private readonly runs: RunRepository,
    private readonly queue: RunQueue,
    private readonly progress: BackfillProgress,
    private readonly log: RunLog,
    private readonly metrics: RunMetrics,
    private readonly queries: RunQueries,
  ) {}

  /** @throws NotFound */
  list(scope: ExportScope, batchExportId: string, filter: RunFilter, window: PageWindow): Promise<Page> {
    return this.queries.list(scope, batchExportId, filter, window);
  }

  /** @throws NotFound */
  retrieve(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    return this.queries.retrieve(scope, batchExportId, id);
  }

  /**
   * Exports the data of an ended run again, from its beginning, whatever it came to and also while the export is
   * paused. A backfill that it belongs to goes on until it has ended, and gives it its turn.
   * @throws NotFound, RunGoesOn
   */
  async retry(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    const answer = await this.transaction.run(async () => {
      // Exports are locked before backfills, and these before runs, by all who lock more than one of them.
      const batchExport = await this.batchExports.get(scope, batchExportId);
      const before = await this.queries.retrieve(scope, batchExportId, id);
      const backfillId = await this.runs.backfillOf(batchExportId, id);
      const backfill = backfillId === null ? null : await this.backfills.get(batchExportId, backfillId);
      const run = await this.runs.get(batchExportId, id);
      const now = this.clock.now();
      run.retry(now);
      await this.log.tell(run, 'INFO', 'Asked for again', now);
      if (backfill) {
        backfill.resume();
        await this.backfills.save(backfill);
        await this.runs.save(run);
        await this.progress.topUp(backfill.id, now);
      } else {
        run.queue(now);
        await this.runs.save(run);
      }
      const after = await this.queries.retrieve(scope, batchExportId, id);
      await this.tell(batchExport, before, after, 'retried');
      return after;
    });
    this.queue.nudge();
    return answer;
  }

  /** Ends a run that goes on; its worker notices within seconds. @throws NotFound, RunHasEnded */
  async cancel(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    const answer = await this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, batchExportId);
      const run = await this.runs.get(batchExportId, id);
      const before = await this.queries.retrieve(scope, batchExportId, id);
      const now = this.clock.now();
      run.cancel(now);
      this.metrics.cameTo('Cancelled', batchExport.sendsTo);
      await this.runs.save(run);
      await this.log.tell(run, 'WARNING', 'Cancelled: somebody asked for it', now);
      if (run.backfillId !== null) {
        await this.progress.topUp(run.backfillId, now);
        await this.progress.finish(run.backfillId, now);
      }
      const after = await this.queries.retrieve(scope, batchExportId, id);
      await this.tell(batchExport, before, after, 'cancelled');
      return after;
    });
    this.queue.nudge();
    return answer;
  }

  private async tell(
    batchExport: BatchExport,
    before: Representation,
    after: Representation,
    activity: string,
  ): Promise<void> {
    const fields = snapshotOf(after);
    const subject = executionSubject(batchExport, 'BatchExportRun', String(fields.id));
    await this.activity.updated(subject, snapshotOf(before), fields, activity);
  }
}
