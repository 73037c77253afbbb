import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import type { Page, PageWindow, Representation } from '../../shared/domain/representation';
import { pageStatement, resourceStatement, Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { ExportScope } from '../domain/export-scope';
import type { LogFilter } from '../domain/log-entry';
import { OPEN_STATUSES } from '../domain/run';

/** How many of an export's runs it shows (BE-11). */
const LATEST_RUNS = 10;

const RUN_COLUMNS = `
  r.id, r.status, r.records_completed, r.latest_error, iso8601(r.data_interval_start) AS data_interval_start,
  iso8601(r.data_interval_end) AS data_interval_end, r.cursor, iso8601(r.created_at) AS created_at,
  iso8601(r.finished_at) AS finished_at, iso8601(r.last_updated_at) AS last_updated_at, r.records_total_count,
  r.batch_export_id AS batch_export`;

/** A batch export (2.3); its secrets are in a column that nothing here selects. */
const COLUMNS = `
  e.id, e.project_id AS team_id, e.name, e.model,
  json_build_object('type', e.destination_type, 'config', e.destination_config) AS destination, e.interval, e.paused,
  iso8601(e.created_at) AS created_at, iso8601(e.last_updated_at) AS last_updated_at,
  iso8601(e.last_paused_at) AS last_paused_at, iso8601(e.start_at) AS start_at, iso8601(e.end_at) AS end_at,
  (SELECT coalesce(json_agg(run), '[]') FROM (
     SELECT ${RUN_COLUMNS} FROM batch_export_runs r WHERE r.batch_export_id = e.id
      ORDER BY r.created_at DESC, r.id DESC LIMIT ${LATEST_RUNS}) AS run) AS latest_runs,
  e.schema`;

const FROM = 'batch_exports e';
const ORDER = 'e.created_at DESC, e.id DESC';
const IN_SCOPE =
  'e.id = $1 AND e.organization_id = $2 AND ($3::integer IS NULL OR e.project_id = $3) AND NOT e.deleted';

const RETRIEVE = resourceStatement('batch_export.retrieve', {
  columns: COLUMNS,
  from: FROM,
  where: IN_SCOPE,
});

const EXISTS = new Statement<{ exists: boolean }>(
  'batch_export.exists',
  `SELECT EXISTS (SELECT FROM batch_exports e WHERE ${IN_SCOPE}) AS exists`,
);

const LIST_OF_ORGANIZATION = pageStatement('batch_export.list_of_organization', {
  columns: COLUMNS,
  from: FROM,
  where: 'e.organization_id = $1 AND NOT e.deleted',
  order: ORDER,
});

const LIST_OF_PROJECT = pageStatement('batch_export.list_of_project', {
  columns: COLUMNS,
  from: FROM,
  where: 'e.project_id = $1 AND NOT e.deleted',
  order: ORDER,
});

const OPEN = OPEN_STATUSES.map((status) => `'${status}'`).join(', ');

const BACKFILL = resourceStatement('batch_export.backfill', {
  columns: `b.id, b.batch_export_id AS batch_export, iso8601(b.start_at) AS start_at, iso8601(b.end_at) AS end_at,
    b.status, b.total_runs,
    (SELECT count(*)::int FROM batch_export_runs r WHERE r.backfill_id = b.id AND r.status NOT IN (${OPEN})) AS finished_runs,
    iso8601(b.created_at) AS created_at, iso8601(b.finished_at) AS finished_at`,
  from: 'batch_export_backfills b',
  where: 'b.batch_export_id = $1 AND b.id = $2',
});

const LOGS = pageStatement('batch_export.logs', {
  columns: `l.batch_export_id AS log_source_id, l.instance_id, iso8601(l.timestamp) AS timestamp, l.level, l.message`,
  from: 'batch_export_log_entries l',
  where: `l.batch_export_id = $1
    AND l.timestamp > coalesce($2::timestamptz, '-infinity') AND l.timestamp < coalesce($3::timestamptz, 'infinity')
    AND ($4::text[] IS NULL OR l.level = ANY($4)) AND ($5::text IS NULL OR l.message ILIKE $5)
    AND ($6::uuid IS NULL OR l.instance_id = $6)`,
  order: 'l.timestamp DESC, l.id DESC',
});

@Injectable()
export class BatchExportQueries {
  constructor(private readonly transaction: Transaction) {}

  /** Newest first (BE-02, BE-03). */
  list({ organizationId, projectId }: ExportScope, window: PageWindow): Promise<Page> {
    return projectId === null
      ? this.transaction.page(LIST_OF_ORGANIZATION, [organizationId], window)
      : this.transaction.page(LIST_OF_PROJECT, [projectId], window);
  }

  /** @throws NotFound for a deleted one, and for one outside of the scope, as well */
  retrieve({ organizationId, projectId }: ExportScope, id: string): Promise<Representation> {
    return this.transaction.resource(RETRIEVE, [id, organizationId, projectId]);
  }

  /** @throws NotFound when it is another export's */
  backfill(batchExportId: string, id: string): Promise<Representation> {
    return this.transaction.resource(BACKFILL, [batchExportId, id]);
  }

  /** Newest first (BE-37). @throws NotFound as `retrieve` */
  async logs(
    { organizationId, projectId }: ExportScope,
    id: string,
    { after, before, levels, search, instanceId }: LogFilter,
    window: PageWindow,
  ): Promise<Page> {
    const [row] = await this.transaction.rows(EXISTS, [id, organizationId, projectId]);
    if (!row?.exists) throw new NotFound();
    // What LIKE takes for a wildcard stands for itself.
    const pattern = search === null ? null : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
    return this.transaction.page(LOGS, [id, after, before, levels, pattern, instanceId], window);
  }
}
