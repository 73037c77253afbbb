import { entity } from '../../shared/persistence/entity';
import { ProjectMember } from '../domain/project-member';

export const ProjectMemberSchema = entity(ProjectMember, {
  tableName: 'project_members',
  columns: {
    projectId: { type: 'integer', name: 'project_id', primary: true },
    userId: { type: 'integer', name: 'user_id', primary: true },
    organizationId: { type: 'uuid', name: 'organization_id' },
    level: { type: 'smallint' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
