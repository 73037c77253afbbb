import { entity } from '../../shared/persistence/entity';
import { Project } from '../domain/project';

export const ProjectSchema = entity(Project, {
  tableName: 'projects',
  columns: {
    id: { type: 'integer', primary: true, generated: 'increment' },
    uuid: { type: 'uuid' },
    organizationId: { type: 'uuid', name: 'organization_id' },
    apiToken: { type: 'varchar', name: 'api_token' },
    name: { type: 'varchar' },
    timezone: { type: 'varchar' },
    isDemo: { type: 'boolean', name: 'is_demo' },
    completedSnippetOnboarding: { type: 'boolean', name: 'completed_snippet_onboarding' },
    ingestedEvent: { type: 'boolean', name: 'ingested_event' },
    accessControl: { type: 'boolean', name: 'access_control' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
