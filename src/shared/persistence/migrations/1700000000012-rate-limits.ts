import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many requests each caller made lately; worth nothing after a crash, so nothing is spent on surviving one. */
export class RateLimits1700000000012 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE rate_limit_counts (
        subject text NOT NULL,
        -- Of the window, in seconds.
        length integer NOT NULL,
        -- When the bucket began, in seconds since 1970.
        bucket bigint NOT NULL,
        requests integer NOT NULL,
        PRIMARY KEY (subject, length, bucket)
      );
      CREATE INDEX rate_limit_counts_age ON rate_limit_counts (length, bucket);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rate_limit_counts');
  }
}
