import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The domains of organizations. */
export class OrganizationDomains1700000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organization_domains (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        domain varchar(128) COLLATE "C" NOT NULL CONSTRAINT organization_domains_domain_unique UNIQUE,
        verified_at timestamptz,
        verification_challenge varchar(43) NOT NULL,
        jit_provisioning_enabled boolean NOT NULL,
        sso_enforcement varchar(28) NOT NULL,
        saml_entity_id varchar(512),
        saml_acs_url varchar(512),
        saml_x509_cert varchar(20000)
      );
      CREATE INDEX organization_domains_list ON organization_domains (organization_id, domain, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE organization_domains');
  }
}
