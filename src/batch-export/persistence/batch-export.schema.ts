import { entity } from '../../shared/persistence/entity';
import { Backfill } from '../domain/backfill';
import { BatchExport } from '../domain/batch-export';

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
    createdAt: { type: 'timestamptz', name: 'created_at' },
    lastUpdatedAt: { type: 'timestamptz', name: 'last_updated_at' },
    deleted: { type: 'boolean' },
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
