import { entity } from '../../shared/persistence/entity';
import { Organization } from '../domain/organization';

export const OrganizationSchema = entity(Organization, {
  tableName: 'organizations',
  columns: {
    id: { type: 'uuid', primary: true },
    name: { type: 'varchar' },
    slugText: { type: 'varchar', name: 'slug' },
    logoMediaId: { type: 'uuid', name: 'logo_media_id', nullable: true },
    customerId: { type: 'varchar', name: 'customer_id', nullable: true },
    isMemberJoinEmailEnabled: { type: 'boolean', name: 'is_member_join_email_enabled' },
    enforce2fa: { type: 'boolean', name: 'enforce_2fa', nullable: true },
    maxKeyScopes: { type: 'text', name: 'max_key_scopes', array: true, nullable: true },
    pluginsAccessLevel: { type: 'smallint', name: 'plugins_access_level' },
    metadata: { type: 'jsonb' },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    updatedAt: { type: 'timestamptz', name: 'updated_at' },
  },
});
