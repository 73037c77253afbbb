import { entity } from '../../shared/persistence/entity';
import { OrganizationDomain } from '../domain/organization-domain';

export const OrganizationDomainSchema = entity(OrganizationDomain, {
  tableName: 'organization_domains',
  columns: {
    id: { type: 'uuid', primary: true },
    organizationId: { type: 'uuid', name: 'organization_id' },
    domain: { type: 'varchar' },
    verifiedAt: { type: 'timestamptz', name: 'verified_at', nullable: true },
    verificationChallenge: { type: 'varchar', name: 'verification_challenge' },
    jitProvisioningEnabled: { type: 'boolean', name: 'jit_provisioning_enabled' },
    ssoEnforcement: { type: 'varchar', name: 'sso_enforcement' },
    samlEntityId: { type: 'varchar', name: 'saml_entity_id', nullable: true },
    samlAcsUrl: { type: 'varchar', name: 'saml_acs_url', nullable: true },
    samlX509Cert: { type: 'varchar', name: 'saml_x509_cert', nullable: true },
  },
});
