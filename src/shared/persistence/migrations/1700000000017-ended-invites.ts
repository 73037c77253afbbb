import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What became of invites that are no more: who follows their link is told. */
export class EndedInvites1700000000017 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ended_invites (
        -- As the invite had it.
        secret_hash bytea PRIMARY KEY,
        organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
        -- accepted, withdrawn, replaced
        ending varchar(16) NOT NULL,
        ended_at timestamptz NOT NULL
      );
      CREATE INDEX ended_invites_by_organization ON ended_invites (organization_id);
      CREATE INDEX ended_invites_ended ON ended_invites (ended_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE ended_invites');
  }
}
