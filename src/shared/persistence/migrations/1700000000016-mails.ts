import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mails on their way out. */
export class Mails1700000000016 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE mails (
        id uuid PRIMARY KEY,
        -- What it is about: one mail is sent about each thing.
        name text NOT NULL CONSTRAINT mails_name UNIQUE,
        -- Sealed under SECRET_KEY; null once it has ended.
        content bytea,
        -- waiting, sending, sent, failed, unknown
        state varchar(16) NOT NULL,
        attempts integer NOT NULL,
        error text,
        retry_at timestamptz,
        sending_since timestamptz,
        created_at timestamptz NOT NULL,
        ended_at timestamptz
      );
      CREATE INDEX mails_due ON mails (retry_at) WHERE state = 'waiting' AND retry_at IS NOT NULL;
      CREATE INDEX mails_sending ON mails (sending_since) WHERE state = 'sending';
      CREATE INDEX mails_ended ON mails (ended_at) WHERE ended_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE mails');
  }
}
