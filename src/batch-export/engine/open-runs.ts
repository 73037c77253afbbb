import { Injectable } from '@nestjs/common';
import type { BatchExport } from '../domain/batch-export';
import { BackfillRepository } from '../persistence/backfill.repository';
import { RunRepository } from '../persistence/run.repository';
import { RunLog } from './run-log';
import { RunMetrics } from './run-metrics';

/** What goes on of an export, its backfills included. */
@Injectable()
export class OpenRuns {
  constructor(
    private readonly backfills: BackfillRepository,
    private readonly runs: RunRepository,
    private readonly log: RunLog,
    private readonly metrics: RunMetrics,
  ) {}

  /**
   * Cancels it all, in the transaction that has locked the export, and saves it then. Workers notice within seconds.
   * @param why as the log says it
   */
  async cancel(batchExport: BatchExport, why: string, at: Date): Promise<void> {
    await this.backfills.cancelOpen(batchExport.id, at);
    const cancelled = await this.runs.cancelOpen(batchExport.id, null, at);
    for (const { scheduled, dataIntervalStart } of cancelled) {
      if (scheduled) batchExport.missesFrom(dataIntervalStart);
    }
    this.metrics.cameTo('Cancelled', batchExport.sendsTo, cancelled.length);
    const started = cancelled.filter((run) => run.started);
    const subjects = started.map(({ id }) => ({ id, batchExportId: batchExport.id }));
    await this.log.tell(subjects, 'WARNING', `Cancelled: ${why}`, at);
  }
}
