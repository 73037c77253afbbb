import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Those who do not count as members are few: found without a look at everybody else. */
export class DeactivatedUsers1700000000026 implements MigrationInterface {
  name = 'DeactivatedUsers1700000000026';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX users_deactivated ON users (id) WHERE NOT is_active');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX users_deactivated');
  }
}
