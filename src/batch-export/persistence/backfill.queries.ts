import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ExportScope } from '../domain/export-scope';
import { OPEN_STATUSES } from '../domain/run';
import { ensureInScope, IN_SCOPE, scopeValues } from './in-scope';

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

/** What has not ended is counted, in `batch_export_runs_open_of_backfill`: it is nothing once a backfill has ended. */
const COLUMNS = `
  b.id, b.batch_export_id AS batch_export, iso8601(b.start_at) AS start_at, iso8601(b.end_at) AS end_at, b.status,
  b.total_runs,
  b.total_runs - (SELECT count(*)::int FROM batch_export_runs r
                   WHERE r.backfill_id = b.id AND r.status IN (${OPEN})) AS finished_runs,
  iso8601(b.created_at) AS created_at, iso8601(b.finished_at) AS finished_at`;

const RETRIEVE = resourceStatement('batch_export.backfill', {
  columns: COLUMNS,
  from: 'batch_export_backfills b JOIN batch_exports e ON e.id = b.batch_export_id',
  where: `${IN_SCOPE} AND b.id = $5`,
});

const LIST = pageStatement('batch_export.backfills', {
  columns: COLUMNS,
  from: 'batch_export_backfills b',
  where: 'b.batch_export_id = $1',
  order: 'b.created_at DESC, b.id DESC',
});

@Injectable()
export class BackfillQueries {
  constructor(private readonly transaction: Transaction) {}

  /** Newest first. @throws NotFound when the export is not in the scope */
  async list(scope: ExportScope, batchExportId: string, window: PageWindow): Promise<Page> {
    await ensureInScope(this.transaction, scope, batchExportId);
    return this.transaction.page(LIST, [batchExportId], window);
  }

  /** @throws NotFound when it is another export's, or the export is not in the scope */
  retrieve(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [...scopeValues(scope, batchExportId), id]);
  }
}
