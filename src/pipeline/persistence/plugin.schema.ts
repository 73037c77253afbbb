import { entity } from '../../shared/persistence/entity';
import { Plugin } from '../domain/plugin';
import { SourceFile } from '../domain/plugin-source';

export const PluginSchema = entity(Plugin, {
  tableName: 'plugins',
  columns: {
    id: { type: 'integer', primary: true, generated: 'increment' },
    organizationId: { type: 'uuid', name: 'organization_id' },
    family: { type: 'varchar' },
    pluginType: { type: 'varchar', name: 'plugin_type', nullable: true },
    name: { type: 'varchar', nullable: true },
    description: { type: 'varchar', nullable: true },
    url: { type: 'varchar', nullable: true },
    sealedPrivateToken: { type: 'bytea', name: 'sealed_private_token', nullable: true },
    icon: { type: 'varchar', nullable: true },
    configSchema: { type: 'jsonb', name: 'config_schema', nullable: true },
    tag: { type: 'varchar', nullable: true },
    latestTag: { type: 'varchar', name: 'latest_tag', nullable: true },
    latestEtag: { type: 'varchar', name: 'latest_etag', nullable: true },
    latestCheckedAt: { type: 'timestamptz', name: 'latest_checked_at', nullable: true },
    fetchedAt: { type: 'timestamptz', name: 'fetched_at', nullable: true },
    isGlobal: { type: 'boolean', name: 'is_global' },
    capabilities: { type: 'jsonb', nullable: true },
    metrics: { type: 'jsonb', nullable: true },
    publicJobs: { type: 'jsonb', name: 'public_jobs', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});

export const SourceFileSchema = entity(SourceFile, {
  tableName: 'plugin_source_files',
  columns: {
    pluginId: { type: 'integer', name: 'plugin_id', primary: true },
    filename: { type: 'varchar', primary: true },
    content: { type: 'text' },
    status: { type: 'varchar', nullable: true },
    transpiled: { type: 'text', nullable: true },
    error: { type: 'text', nullable: true },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
