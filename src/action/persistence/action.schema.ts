import { entity } from '../../shared/persistence/entity';
import { Action } from '../domain/action';

export const ActionSchema = entity(Action, {
  tableName: 'actions',
  columns: {
    id: { type: 'integer', primary: true, generated: 'increment' },
    projectId: { type: 'integer', name: 'project_id' },
    name: { type: 'varchar' },
    description: { type: 'varchar' },
    tags: { type: 'text', array: true },
    postToSlack: { type: 'boolean', name: 'post_to_slack' },
    slackMessageFormat: { type: 'varchar', name: 'slack_message_format' },
    steps: { type: 'json' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    createdById: { type: 'integer', name: 'created_by_id', nullable: true },
    deleted: { type: 'boolean' },
    lastCalculatedAt: { type: 'timestamptz', name: 'last_calculated_at' },
    pinnedAt: { type: 'timestamptz', name: 'pinned_at', nullable: true },
    bytecodeError: { type: 'text', name: 'bytecode_error', nullable: true },
  },
});
