import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ExportScope } from '../domain/export-scope';
import type { RunFilter } from '../domain/run-filter';
import { ensureInScope, IN_SCOPE, scopeValues } from './in-scope';

/** A run (2.3), and what is ours, of the table's alias `r`. */
export const RUN_COLUMNS = `
  r.id, r.status, r.records_completed, r.latest_error, iso8601(r.data_interval_start) AS data_interval_start,
  iso8601(r.data_interval_end) AS data_interval_end, r.cursor, iso8601(r.created_at) AS created_at,
  iso8601(r.finished_at) AS finished_at, iso8601(r.last_updated_at) AS last_updated_at, r.records_total_count,
  r.batch_export_id AS batch_export, r.backfill_id AS backfill, r.attempt, iso8601(r.started_at) AS started_at,
  iso8601(r.retry_at) AS retry_at, r.bytes AS bytes_exported`;

/** The newest first: of a backfill's runs, which are made at once, that of its newest interval. */
export const RUN_ORDER = 'r.created_at DESC, r.id DESC';

const RETRIEVE = resourceStatement('batch_export.run', {
  columns: RUN_COLUMNS,
  from: 'batch_export_runs r JOIN batch_exports e ON e.id = r.batch_export_id',
  where: `${IN_SCOPE} AND r.id = $5`,
});

/** Not prepared, so that it is planned for the filters that are given. */
const LIST = pageStatement('batch_export.runs', {
  columns: RUN_COLUMNS,
  from: 'batch_export_runs r',
  where: `r.batch_export_id = $1 AND ($2::text[] IS NULL OR r.status = ANY($2))
    AND ($3::timestamptz IS NULL OR r.data_interval_end > $3)
    AND ($4::timestamptz IS NULL OR r.data_interval_start < $4)
    AND ($5::uuid IS NULL OR r.backfill_id = $5)`,
  order: RUN_ORDER,
  prepared: false,
});

@Injectable()
export class RunQueries {
  constructor(private readonly transaction: Transaction) {}

  /** Newest first. @throws NotFound when the export is not in the scope */
  async list(
    scope: ExportScope,
    batchExportId: string,
    { statuses, after, before, backfillId }: RunFilter,
    window: PageWindow,
  ): Promise<Page> {
    await ensureInScope(this.transaction, scope, batchExportId);
    return this.transaction.page(LIST, [batchExportId, statuses, after, before, backfillId], window);
  }

  /** @throws NotFound when it is another export's, or the export is not in the scope */
  retrieve(scope: ExportScope, batchExportId: string, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [...scopeValues(scope, batchExportId), id]);
  }
}
