import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The answers to requests that have a name, so that they can be given again. */
export class IdempotencyKeys1700000000013 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE idempotency_keys (
        -- The id of the key that the request was made with, or 'nobody'.
        caller text NOT NULL,
        -- Method and path.
        route text NOT NULL,
        key text NOT NULL,
        -- SHA-256 of the body.
        request bytea NOT NULL,
        -- Sealed under SECRET_KEY; null while the request is answered, which nobody else sees.
        answer bytea,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (caller, route, key)
      );
      CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_keys');
  }
}
