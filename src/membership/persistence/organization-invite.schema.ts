import { entity } from '../../shared/persistence/entity';
import { OrganizationInvite } from '../domain/organization-invite';

export const OrganizationInviteSchema = entity(OrganizationInvite, {
  tableName: 'organization_invites',
  columns: {
    id: { type: 'uuid', primary: true },
    organizationId: { type: 'uuid', name: 'organization_id' },
    secretHash: { type: 'bytea', name: 'secret_hash' },
    targetEmail: { type: 'varchar', name: 'target_email' },
    firstName: { type: 'varchar', name: 'first_name' },
    level: { type: 'smallint' },
    message: { type: 'text', nullable: true },
    privateProjectAccess: { type: 'jsonb', name: 'private_project_access' },
    emailingAttemptMade: { type: 'boolean', name: 'emailing_attempt_made' },
    createdById: { type: 'integer', name: 'created_by_id', nullable: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
