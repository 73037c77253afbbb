import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entries about every kind of thing, read by organization; they outlive the project that they are about. */
export class ActivityOfEverything1700000000019 implements MigrationInterface {
  name = 'ActivityOfEverything1700000000019';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE activity_log DROP CONSTRAINT activity_log_project_id_fkey;
      DROP INDEX activity_log_by_project, activity_log_by_user;
      CREATE INDEX activity_log_of_organization ON activity_log (organization_id, created_at DESC, id DESC);
      CREATE INDEX activity_log_by_user ON activity_log (user_id, organization_id, created_at DESC, id DESC);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX activity_log_of_organization, activity_log_by_user;
      DELETE FROM activity_log a
       WHERE a.project_id IS NOT NULL AND NOT EXISTS (SELECT FROM projects p WHERE p.id = a.project_id);
      ALTER TABLE activity_log ADD FOREIGN KEY (project_id) REFERENCES projects ON DELETE CASCADE;
      CREATE INDEX activity_log_by_project ON activity_log (project_id);
      CREATE INDEX activity_log_by_user ON activity_log (user_id);
    `);
  }
}
