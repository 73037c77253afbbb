import { entity } from '../../shared/persistence/entity';
import { User } from '../domain/user';

export const UserSchema = entity(User, {
  tableName: 'users',
  columns: {
    id: { type: 'integer', primary: true, generated: 'increment' },
    uuid: { type: 'uuid' },
    distinctId: { type: 'varchar', name: 'distinct_id' },
    email: { type: 'varchar' },
    firstName: { type: 'varchar', name: 'first_name' },
    lastName: { type: 'varchar', name: 'last_name' },
    isEmailVerified: { type: 'boolean', name: 'is_email_verified', nullable: true },
    hedgehogConfig: { type: 'jsonb', name: 'hedgehog_config', nullable: true },
    isActive: { type: 'boolean', name: 'is_active' },
    currentOrganizationId: { type: 'uuid', name: 'current_organization_id', nullable: true },
    currentProjectId: { type: 'integer', name: 'current_project_id', nullable: true },
    dateJoined: { type: 'timestamptz', name: 'date_joined' },
    lastLogin: { type: 'timestamptz', name: 'last_login', nullable: true },
  },
});
