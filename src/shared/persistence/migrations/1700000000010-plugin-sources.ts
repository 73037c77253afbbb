import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the hosts of plugins said, and what became of the source of plugins. */
export class PluginSources1700000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE plugins
        ADD COLUMN latest_etag varchar(500),
        ADD COLUMN latest_checked_at timestamptz,
        ADD COLUMN fetched_at timestamptz;

      ALTER TABLE plugin_source_files
        ADD COLUMN status varchar(20),
        ADD COLUMN transpiled text,
        ADD COLUMN error text;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE plugin_source_files DROP COLUMN status, DROP COLUMN transpiled, DROP COLUMN error;
      ALTER TABLE plugins DROP COLUMN latest_etag, DROP COLUMN latest_checked_at, DROP COLUMN fetched_at;
    `);
  }
}
