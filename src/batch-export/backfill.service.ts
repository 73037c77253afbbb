import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog, snapshotOf } from '../activity/index';
import { EventStore } from '../event/index';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { executionSubject } from './batch-export-activity';
import type { Backfill, BackfillBounds } from './domain/backfill';
import type { BatchExport } from './domain/batch-export';
import { isoformat } from './domain/batch-export-errors';
import type { ExportScope } from './domain/export-scope';
import { Run } from './domain/run';
import { RunLog } from './engine/run-log';
import { RunMetrics } from './engine/run-metrics';
import { BackfillQueries } from './persistence/backfill.queries';
import { BackfillRepository } from './persistence/backfill.repository';
import { BatchExportRepository } from './persistence/batch-export.repository';
import { RunRepository } from './persistence/run.repository';

@Injectable()
export class BackfillService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly activity: ActivityLog,
    private readonly events: EventStore,
    private readonly batchExports: BatchExportRepository,
    private readonly backfills: BackfillRepository,
    private readonly runs: RunRepository,
    private readonly log: RunLog,
    private readonly metrics: RunMetrics,
    private readonly queries: BackfillQueries,
  ) {}

  /** @throws NotFound */
  list(scope: ExportScope, batchExportId: string, window: PageWindow): Promise<Page> {
    return this.queries.list(scope, batchExportId, window);
  }

  /** @throws NotFound */
  retrieve(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    return this.queries.retrieve(scope, batchExportId, id);
  }

  /** Records the backfill and its runs, for workers to execute. @throws NotFound, Invalid (BE-31..BE-34), also for too many */
  request(scope: ExportScope, id: string, bounds: BackfillBounds): Promise<Representation> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, id);
      const earliest = await this.events.earliest(batchExport.projectId, batchExport.exports.model);
      const backfill = batchExport.backfill(uuidv7(), bounds, earliest, this.clock.now());
      await this.record(batchExport, backfill);
      return this.queries.retrieve(scope, id, backfill.id);
    });
  }

  /**
   * Within a transaction: stores the backfill and a run for each of its data intervals.
   * @throws TooManyBackfills, TooManyBackfillRuns
   */
  async record(batchExport: BatchExport, backfill: Backfill): Promise<void> {
    const { id, batchExportId, range, intervals, createdAt } = backfill;
    backfill.join(await this.backfills.openOf(batchExport.projectId));
    await this.backfills.add(backfill);
    const runs = intervals.map((interval) => Run.of(uuidv7(), batchExportId, id, interval, createdAt));
    await this.runs.add(runs, createdAt);
    const waiting = intervals.length === 1 ? '1 run waits' : `${intervals.length} runs wait`;
    const [start, end] = [isoformat(range.start), isoformat(range.end)];
    const message = `Backfill from ${start} to ${end} requested: ${waiting} to start`;
    await this.log.tell(backfill, 'INFO', message, createdAt);
    const subject = executionSubject(batchExport, 'BatchExportBackfill', id);
    await this.activity.created(subject, {
      batch_export: batchExportId,
      start_at: range.start,
      end_at: range.end,
      total_runs: intervals.length,
    });
  }

  /** Its runs that go on are cancelled with it. @throws NotFound, BackfillHasEnded */
  cancel(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, batchExportId);
      const backfill = await this.backfills.get(batchExportId, id);
      const before = await this.queries.retrieve(scope, batchExportId, id);
      const now = this.clock.now();
      backfill.cancel(now);
      await this.backfills.save(backfill);
      const runs = await this.runs.cancelOpen(batchExportId, id, now);
      this.metrics.cameTo('Cancelled', batchExport.sendsTo, runs.length);
      const message = `Backfill cancelled: somebody asked for it, ${runs.length} of its runs had not ended`;
      await this.log.tell(backfill, 'WARNING', message, now);
      const after = await this.queries.retrieve(scope, batchExportId, id);
      const subject = executionSubject(batchExport, 'BatchExportBackfill', id);
      await this.activity.updated(subject, snapshotOf(before), snapshotOf(after), 'cancelled');
      return after;
    });
  }
}
