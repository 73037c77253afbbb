import { Injectable } from '@nestjs/common';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ExportScope } from '../domain/export-scope';
import type { LogFilter } from '../domain/log-entry';
import { ensureInScope, IN_SCOPE, scopeValues, seenBy } from './in-scope';
import { RUN_COLUMNS, RUN_ORDER } from './run.queries';

/** How many of an export's runs it shows (BE-11). */
const LATEST_RUNS = 10;

/** A batch export (2.3); its secrets are in a column that nothing here selects. */
const COLUMNS = `
  e.id, e.project_id AS team_id, e.name, e.model,
  json_build_object('type', e.destination_type, 'config', e.destination_config) AS destination, e.interval, e.paused,
  iso8601(e.created_at) AS created_at, iso8601(e.last_updated_at) AS last_updated_at,
  iso8601(e.last_paused_at) AS last_paused_at, iso8601(e.start_at) AS start_at, iso8601(e.end_at) AS end_at,
  (SELECT coalesce(json_agg(run), '[]') FROM (
     SELECT ${RUN_COLUMNS} FROM batch_export_runs r WHERE r.batch_export_id = e.id
      ORDER BY ${RUN_ORDER} LIMIT ${LATEST_RUNS}) AS run) AS latest_runs,
  e.schema`;

const FROM = 'batch_exports e';
const ORDER = 'e.created_at DESC, e.id DESC';

const RETRIEVE = resourceStatement('batch_export.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: IN_SCOPE,
});

const LIST_OF_ORGANIZATION = pageStatement('batch_export.list_of_organization', {
  columns: COLUMNS,
  from: FROM,
  // IS TRUE keeps it a condition of each row: as a join it would be cheaper to sort after than to keep the order of.
  where: `e.organization_id = $1 AND NOT e.deleted AND ${seenBy('$2')} IS TRUE`,
  order: ORDER,
});

const LIST_OF_PROJECT = pageStatement('batch_export.list_of_project', {
  columns: COLUMNS,
  from: FROM,
  where: 'e.project_id = $1 AND NOT e.deleted',
  order: ORDER,
});

/** Not prepared, so that it is planned for the filters that are given. */
const LOGS = pageStatement('batch_export.logs', {
  columns: `l.batch_export_id AS log_source_id, l.instance_id, iso8601(l.timestamp) AS timestamp, l.level, l.message`,
  from: 'batch_export_log_entries l',
  where: `l.batch_export_id = $1
    AND ($2::timestamptz IS NULL OR l.timestamp > $2) AND ($3::timestamptz IS NULL OR l.timestamp < $3)
    AND ($4::text[] IS NULL OR l.level = ANY($4)) AND ($5::text IS NULL OR l.message ILIKE $5)
    AND ($6::uuid IS NULL OR l.instance_id = $6)`,
  order: 'l.timestamp DESC, l.id DESC',
  prepared: false,
});

@Injectable()
export class BatchExportQueries {
  constructor(private readonly transaction: Transaction) {}

  /** Newest first (BE-02, BE-03). */
  list({ organizationId, projectId, userId }: ExportScope, window: PageWindow): Promise<Page> {
    return projectId === null
      ? this.transaction.page(LIST_OF_ORGANIZATION, [organizationId, userId], window)
      : this.transaction.page(LIST_OF_PROJECT, [projectId], window);
  }

  /** @throws NotFound for a deleted one, and for one outside of the scope, as well */
  retrieve(scope: ExportScope, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, scopeValues(scope, id));
  }

  /** Newest first (BE-37). @throws NotFound as `retrieve` */
  async logs(
    scope: ExportScope,
    id: string,
    { after, before, levels, search, instanceId }: LogFilter,
    window: PageWindow,
  ): Promise<Page> {
    await ensureInScope(this.transaction, scope, id);
    // What LIKE takes for a wildcard stands for itself.
    const pattern = search === null ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    return this.transaction.page(LOGS, [id, after, before, levels, pattern, instanceId], window);
  }
}
