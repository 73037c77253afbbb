import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Invites to organizations: one to an address, whatever its case (INV-08). */
export class OrganizationInvites1700000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE organization_invites (
        id uuid PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        secret_hash bytea NOT NULL CONSTRAINT organization_invites_secret_unique UNIQUE,
        target_email varchar(254) NOT NULL,
        first_name varchar(30) NOT NULL,
        level smallint NOT NULL,
        message text,
        private_project_access jsonb NOT NULL,
        emailing_attempt_made boolean NOT NULL,
        created_by_id integer REFERENCES users ON DELETE SET NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      );
      CREATE UNIQUE INDEX organization_invites_target_unique
        ON organization_invites (organization_id, lower(target_email));
      CREATE INDEX organization_invites_list ON organization_invites (organization_id, created_at DESC, id DESC);
      CREATE INDEX organization_invites_by_creator ON organization_invites (created_by_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE organization_invites');
  }
}
