import { entity } from '../../shared/persistence/entity';
import { PersonalApiKey } from '../domain/personal-api-key';

export const PersonalApiKeySchema = entity(PersonalApiKey, {
  tableName: 'personal_api_keys',
  columns: {
    id: { type: 'uuid', primary: true },
    userId: { type: 'integer', name: 'user_id' },
    label: { type: 'varchar' },
    valueHash: { type: 'bytea', name: 'value_hash' },
    maskValue: { type: 'varchar', name: 'mask_value' },
    scopes: { type: 'text', array: true },
    scopedOrganizations: { type: 'uuid', name: 'scoped_organizations', array: true },
    scopedTeams: { type: 'integer', name: 'scoped_teams', array: true },
    createdAt: { type: 'timestamptz', name: 'created_at' },
    lastUsedAt: { type: 'timestamptz', name: 'last_used_at', nullable: true },
    lastRolledAt: { type: 'timestamptz', name: 'last_rolled_at', nullable: true },
    expiresAt: { type: 'timestamptz', name: 'expires_at', nullable: true },
  },
});
