import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many invitations were mailed, of late. */
export class InvitationMails1700000000025 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invitation_mails (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        -- No reference: what an organization has mailed counts also when it is gone.
        organization_id uuid NOT NULL,
        -- SHA-256 of the address.
        mailbox bytea NOT NULL,
        mailed_at timestamptz NOT NULL
      );
      CREATE INDEX invitation_mails_to ON invitation_mails (mailbox, mailed_at);
      CREATE INDEX invitation_mails_by ON invitation_mails (organization_id, mailed_at);
      CREATE INDEX invitation_mails_mailed ON invitation_mails (mailed_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE invitation_mails');
  }
}
