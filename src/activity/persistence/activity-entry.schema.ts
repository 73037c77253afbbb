import { entity } from '../../shared/persistence/entity';
import { ActivityEntry } from '../domain/activity-entry';

export const ActivityEntrySchema = entity(ActivityEntry, {
  tableName: 'activity_log',
  columns: {
    id: { type: 'uuid', primary: true },
    organizationId: { type: 'uuid', name: 'organization_id' },
    projectId: { type: 'integer', name: 'project_id', nullable: true },
    userId: { type: 'integer', name: 'user_id', nullable: true },
    keyId: { type: 'uuid', name: 'key_id', nullable: true },
    scope: { type: 'varchar' },
    itemId: { type: 'varchar', name: 'item_id' },
    activity: { type: 'varchar' },
    detail: { type: 'jsonb' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
  },
});
