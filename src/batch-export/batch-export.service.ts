import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../shared/domain/clock';
import { NotFound } from '../shared/domain/domain-error';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { SecretBox } from '../shared/secrets/secret-box';
import { BackfillService } from './backfill.service';
import { BatchExport, type BatchExportDetails, type NewBatchExport } from './domain/batch-export';
import { OrganizationHasNoProject } from './domain/batch-export-errors';
import type { ExportScope } from './domain/export-scope';
import type { LogFilter } from './domain/log-entry';
import { BackfillRepository } from './persistence/backfill.repository';
import { BatchExportQueries } from './persistence/batch-export.queries';
import { BatchExportRepository } from './persistence/batch-export.repository';

@Injectable()
export class BatchExportService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly vault: SecretBox,
    private readonly batchExports: BatchExportRepository,
    private readonly backfills: BackfillRepository,
    private readonly backfilling: BackfillService,
    private readonly queries: BatchExportQueries,
  ) {}

  list(scope: ExportScope, window: PageWindow): Promise<Page> {
    return this.queries.list(scope, window);
  }

  /** @throws NotFound */
  retrieve(scope: ExportScope, id: string): Promise<Representation> {
    return this.queries.retrieve(scope, id);
  }

  /** @throws NotFound */
  logs(scope: ExportScope, id: string, filter: LogFilter, window: PageWindow): Promise<Page> {
    return this.queries.logs(scope, id, filter, window);
  }

  /**
   * Under an organization it belongs to the caller's current project where that is in it, else to its oldest (D16).
   * @throws OrganizationHasNoProject, Invalid for a destination that is not valid
   */
  create(
    scope: ExportScope,
    currentProjectId: number | null,
    details: NewBatchExport,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const projectId = await this.batchExports.findProject(scope, currentProjectId);
      if (projectId === null)
        throw scope.projectId === null ? new OrganizationHasNoProject() : new NotFound();
      const place = { organizationId: scope.organizationId, projectId };
      const batchExport = BatchExport.schedule(uuidv7(), place, details, this.vault, this.clock.now());
      await this.batchExports.save(batchExport);
      return this.queries.retrieve(scope, batchExport.id);
    });
  }

  /** @throws NotFound, Invalid for a destination that is not valid */
  update(scope: ExportScope, id: string, details: BatchExportDetails): Promise<Representation> {
    return this.change(scope, id, (batchExport, now) => batchExport.change(details, this.vault, now));
  }

  /** @throws NotFound */
  pause(scope: ExportScope, id: string): Promise<Representation> {
    return this.change(scope, id, (batchExport, now) => batchExport.pause(now));
  }

  /** With `backfill` the runs that the pause kept from happening are asked for (BE-29). @throws NotFound, Invalid */
  unpause(scope: ExportScope, id: string, { backfill }: { backfill: boolean }): Promise<Representation> {
    return this.change(scope, id, async (batchExport, now) => {
      const wasPaused = batchExport.unpause(now);
      if (wasPaused && backfill) await this.backfilling.requestMissed(batchExport, now);
    });
  }

  /** What goes on of it is cancelled with it (BE-28). @throws NotFound */
  delete(scope: ExportScope, id: string): Promise<void> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, id);
      const now = this.clock.now();
      batchExport.delete(now);
      await this.batchExports.save(batchExport);
      await this.backfills.cancelOpen(id, now);
    });
  }

  private change(
    scope: ExportScope,
    id: string,
    work: (batchExport: BatchExport, now: Date) => void | Promise<void>,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, id);
      await work(batchExport, this.clock.now());
      await this.batchExports.save(batchExport);
      return this.queries.retrieve(scope, id);
    });
  }
}
