import { entity } from '../../shared/persistence/entity';
import { PluginConfig } from '../domain/plugin-config';

export const PluginConfigSchema = entity(PluginConfig, {
  tableName: 'plugin_configs',
  columns: {
    id: { type: 'integer', primary: true },
    projectId: { type: 'integer', name: 'project_id' },
    pluginId: { type: 'integer', name: 'plugin_id' },
    enabled: { type: 'boolean' },
    order: { type: 'integer' },
    config: { type: 'jsonb' },
    sealedValues: { type: 'bytea', name: 'sealed_values', nullable: true },
    name: { type: 'varchar', nullable: true },
    description: { type: 'varchar', nullable: true },
    deleted: { type: 'boolean' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
