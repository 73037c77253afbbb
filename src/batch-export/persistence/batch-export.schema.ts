import { entity } from '../../shared/persistence/entity';
import { Backfill } from '../domain/backfill';
import { BatchExport } from '../domain/batch-export';
import { Run } from '../domain/run';

export const BatchExportSchema = entity(BatchExport, {
  tableName: 'batch_exports',
  columns: {
    id: { type: 'uuid', primary: true },
    organizationId: { type: 'uuid', name: 'organization_id' },
    projectId: { type: 'integer', name: 'project_id' },
    name: { type: 'text' },
    model: { type: 'varchar' },
    destinationType: { type: 'varchar', name: 'destination_type' },
    destinationConfig: { type: 'jsonb', name: 'destination_config' },
    destinationSecrets: { type: 'bytea', name: 'destination_secrets', nullable: true },
    interval: { type: 'varchar' },
    paused: { type: 'boolean' },
    lastPausedAt: { type: 'timestamptz', name: 'last_paused_at', nullable: true },
    startAt: { type: 'timestamptz', name: 'start_at', nullable: true },
    endAt: { type: 'timestamptz', name: 'end_at', nullable: true },
    hogqlQuery: { type: 'text', name: 'hogql_query', nullable: true },
    schema: { type: 'jsonb', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    lastUpdatedAt: { type: 'timestamptz', name: 'last_updated_at' },
    deleted: { type: 'boolean' },
    scheduledUntil: { type: 'timestamptz', name: 'scheduled_until' },
    nextRunAt: { type: 'timestamptz', name: 'next_run_at', nullable: true },
    missedFrom: { type: 'timestamptz', name: 'missed_from', nullable: true },
    failuresInARow: { type: 'integer', name: 'failures_in_a_row' },
    revision: { type: 'integer' },
  },
});

export const BackfillSchema = entity(Backfill, {
  tableName: 'batch_export_backfills',
  columns: {
    id: { type: 'uuid', primary: true },
    batchExportId: { type: 'uuid', name: 'batch_export_id' },
    startAt: { type: 'timestamptz', name: 'start_at', nullable: true },
    endAt: { type: 'timestamptz', name: 'end_at', nullable: true },
    status: { type: 'varchar' },
    totalRuns: { type: 'integer', name: 'total_runs' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    finishedAt: { type: 'timestamptz', name: 'finished_at', nullable: true },
  },
});

/** PostgreSQL's bigint comes as text. */
const bytes = {
  from: (stored: string | null) => (stored === null ? null : Number(stored)),
  to: (value: number | null) => value,
};

export const RunSchema = entity(Run, {
  tableName: 'batch_export_runs',
  columns: {
    id: { type: 'uuid', primary: true },
    batchExportId: { type: 'uuid', name: 'batch_export_id' },
    backfillId: { type: 'uuid', name: 'backfill_id', nullable: true },
    status: { type: 'varchar' },
    attempt: { type: 'integer' },
    failures: { type: 'integer' },
    revision: { type: 'integer' },
    dataIntervalStart: { type: 'timestamptz', name: 'data_interval_start' },
    dataIntervalEnd: { type: 'timestamptz', name: 'data_interval_end' },
    recordsCompleted: { type: 'integer', name: 'records_completed', nullable: true },
    recordsTotalCount: { type: 'integer', name: 'records_total_count', nullable: true },
    bytes: { type: 'bigint', nullable: true, transformer: bytes },
    cursor: { type: 'text', nullable: true },
    latestError: { type: 'text', name: 'latest_error', nullable: true },
    startedAt: { type: 'timestamptz', name: 'started_at', nullable: true },
    heartbeatAt: { type: 'timestamptz', name: 'heartbeat_at', nullable: true },
    retryAt: { type: 'timestamptz', name: 'retry_at', nullable: true },
    queuedAt: { type: 'timestamptz', name: 'queued_at', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    finishedAt: { type: 'timestamptz', name: 'finished_at', nullable: true },
    lastUpdatedAt: { type: 'timestamptz', name: 'last_updated_at' },
  },
});
