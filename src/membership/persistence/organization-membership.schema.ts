import { entity } from '../../shared/persistence/entity';
import { OrganizationMembership } from '../domain/organization-membership';

export const OrganizationMembershipSchema = entity(OrganizationMembership, {
  tableName: 'organization_memberships',
  columns: {
    id: { type: 'uuid', primary: true },
    organizationId: { type: 'uuid', name: 'organization_id' },
    userId: { type: 'integer', name: 'user_id' },
    level: { type: 'smallint' },
    joinedAt: { type: 'timestamptz', name: 'joined_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
