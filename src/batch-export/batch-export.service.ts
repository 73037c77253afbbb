import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog, changesBetween, secretChanged } from '../activity/index';
import { compileQuery } from '../event/index';
import { Clock } from '../shared/domain/clock';
import { NotFound } from '../shared/domain/domain-error';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { SecretBox } from '../shared/secrets/secret-box';
import { BackfillService } from './backfill.service';
import { exportActivity } from './batch-export-activity';
import { DestinationReach } from './destinations/destination-reach';
import { BatchExport, type BatchExportDetails, type NewBatchExport } from './domain/batch-export';
import { OrganizationHasNoProject } from './domain/batch-export-errors';
import type { ExportScope } from './domain/export-scope';
import type { LogFilter } from './domain/log-entry';
import { OpenRuns } from './engine/open-runs';
import { BatchExportQueries } from './persistence/batch-export.queries';
import { BatchExportRepository } from './persistence/batch-export.repository';

/** Why what went on was cancelled. */
const PAUSED = 'the batch export was paused';

@Injectable()
export class BatchExportService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly vault: SecretBox,
    private readonly activity: ActivityLog,
    private readonly reach: DestinationReach,
    private readonly batchExports: BatchExportRepository,
    private readonly backfills: BackfillService,
    private readonly openRuns: OpenRuns,
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
   * @throws OrganizationHasNoProject, Invalid for a destination or a query that is not valid
   */
  async create(
    scope: ExportScope,
    currentProjectId: number | null,
    given: NewBatchExport,
  ): Promise<Representation> {
    this.reach.check(given.destination);
    const details = await compiled(given, scope);
    return this.transaction.run(async () => {
      const projectId = await this.batchExports.findProject(scope, currentProjectId);
      if (projectId === null)
        throw scope.projectId === null ? new OrganizationHasNoProject() : new NotFound();
      const place = { organizationId: scope.organizationId, projectId };
      const batchExport = BatchExport.schedule(uuidv7(), place, details, this.vault, this.clock.now());
      await this.batchExports.save(batchExport);
      const after = await this.queries.retrieve(scope, batchExport.id);
      await this.activity.created(...exportActivity(batchExport, after));
      return after;
    });
  }

  /** One that becomes paused by it loses what goes on, as by `pause`. @throws NotFound, Invalid */
  async update(scope: ExportScope, id: string, given: BatchExportDetails): Promise<Representation> {
    // To read a query takes a while: not for an export that is not there.
    if (given.hogqlQuery) await this.queries.retrieve(scope, id);
    const details = await compiled(given, scope);
    return this.change(scope, id, 'updated', async (batchExport, now, before) => {
      this.preconditions.check(before);
      this.reach.check(details.destination);
      const wasPaused = batchExport.isPaused;
      const secrets = batchExport.change(details, this.vault, now);
      if (!wasPaused && batchExport.isPaused) await this.openRuns.cancel(batchExport, PAUSED, now);
      return secrets;
    });
  }

  /** What goes on of it is cancelled; backfills that are asked for later run. @throws NotFound */
  pause(scope: ExportScope, id: string): Promise<Representation> {
    return this.change(scope, id, 'paused', async (batchExport, now) => {
      if (batchExport.isPaused) return [];
      batchExport.pause(now);
      await this.openRuns.cancel(batchExport, PAUSED, now);
      return [];
    });
  }

  /** With `backfill` the runs that the pause kept from happening are asked for (BE-29). @throws NotFound, Invalid */
  unpause(scope: ExportScope, id: string, { backfill }: { backfill: boolean }): Promise<Representation> {
    return this.change(scope, id, 'unpaused', async (batchExport, now) => {
      const missed = backfill ? batchExport.backfillMissed(uuidv7(), now) : null;
      batchExport.unpause(now);
      if (missed) await this.backfills.record(batchExport, missed);
      return [];
    });
  }

  /** What goes on of it is cancelled with it (BE-28). @throws NotFound */
  delete(scope: ExportScope, id: string): Promise<void> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, id);
      const before = await this.queries.retrieve(scope, id);
      this.preconditions.check(before);
      const now = this.clock.now();
      batchExport.delete(now);
      await this.openRuns.cancel(batchExport, 'the batch export was deleted', now);
      await this.batchExports.save(batchExport);
      await this.activity.deleted(...exportActivity(batchExport, before));
    });
  }

  /** @param work the change; answers the names of the secrets that are others now */
  private change(
    scope: ExportScope,
    id: string,
    activity: string,
    work: (batchExport: BatchExport, now: Date, before: Representation) => Promise<readonly string[]>,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const batchExport = await this.batchExports.get(scope, id);
      const before = await this.queries.retrieve(scope, id);
      const secrets = await work(batchExport, this.clock.now(), before);
      await this.batchExports.save(batchExport);
      const after = await this.queries.retrieve(scope, id);
      const [subject, fields] = exportActivity(batchExport, after);
      const changes = [
        ...changesBetween(exportActivity(batchExport, before)[1], fields),
        ...secrets.map((name) => secretChanged(`destination.config.${name}`)),
      ];
      if (changes.length > 0) await this.activity.record({ ...subject, activity, changes });
      return after;
    });
  }
}

/** Before the transaction, which is not to wait for it. @throws Invalid for a query that is none (BE-25) */
async function compiled<Details extends BatchExportDetails>(
  details: Details,
  { organizationId }: ExportScope,
): Promise<Details> {
  const { hogqlQuery } = details;
  return typeof hogqlQuery === 'string'
    ? { ...details, schema: (await compileQuery(hogqlQuery, organizationId)).schema }
    : details;
}
