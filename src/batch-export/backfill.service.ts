import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../shared/domain/clock';
import type { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import type { Backfill, BackfillBounds } from './domain/backfill';
import type { BatchExport } from './domain/batch-export';
import { isoformat } from './domain/batch-export-errors';
import type { ExportScope } from './domain/export-scope';
import { BackfillRepository } from './persistence/backfill.repository';
import { BatchExportQueries } from './persistence/batch-export.queries';
import { BatchExportRepository } from './persistence/batch-export.repository';
import { LogEntryRepository } from './persistence/log-entry.repository';

@Injectable()
export class BackfillService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly batchExports: BatchExportRepository,
    private readonly backfills: BackfillRepository,
    private readonly logs: LogEntryRepository,
    private readonly queries: BatchExportQueries,
  ) {}

  /** Records the backfill and its runs, for a worker to execute. @throws NotFound, Invalid (BE-31..BE-33) */
  request(scope: ExportScope, id: string, bounds: BackfillBounds): Promise<Representation> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, id);
      const earliest = await this.backfills.earliestOf(batchExport.projectId);
      const backfill = batchExport.backfill(uuidv7(), bounds, earliest, this.clock.now());
      await this.record(backfill);
      return this.queries.backfill(id, backfill.id);
    });
  }

  /** Within the transaction that ends the pause. @throws Invalid when its beginning is not known (BE-29) */
  async requestMissed(batchExport: BatchExport, now: Date): Promise<void> {
    const backfill = batchExport.backfillMissed(uuidv7(), now);
    if (backfill) await this.record(backfill);
  }

  private async record(backfill: Backfill): Promise<void> {
    const { id, batchExportId, range, intervals, createdAt } = backfill;
    await this.backfills.add(backfill);
    const runs = intervals.length === 1 ? '1 run waits' : `${intervals.length} runs wait`;
    await this.logs.add({
      id: uuidv7(),
      batchExportId,
      instanceId: id,
      timestamp: createdAt,
      level: 'INFO',
      message: `Backfill from ${isoformat(range.start)} to ${isoformat(range.end)} requested: ${runs} to start`,
    });
  }
}
