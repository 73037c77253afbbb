import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An entry of the log is written at the end of a change, when rows are locked that the deletion of their organization
 * waits for: it must not wait for the organization in turn. The deletion deletes the entries by itself.
 */
export class LogWithoutLock1700000000027 implements MigrationInterface {
  name = 'LogWithoutLock1700000000027';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE activity_log DROP CONSTRAINT activity_log_organization_id_fkey');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM activity_log a WHERE NOT EXISTS (SELECT FROM organizations o WHERE o.id = a.organization_id);
      ALTER TABLE activity_log ADD FOREIGN KEY (organization_id) REFERENCES organizations ON DELETE CASCADE;
    `);
  }
}
