import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How a user is embedded in other resources (2.5) is kept with the user, not made for each of the rows that show them:
 * it was a third of what a page of actions costs. PostgreSQL itself keeps it as the user's columns are.
 */
export class EmbeddedUsers1700000000028 implements MigrationInterface {
  name = 'EmbeddedUsers1700000000028';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Immutable, as a column that is kept must be: of these types none depends on settings.
      CREATE FUNCTION embedded_user(id integer, uuid uuid, distinct_id text, first_name text, last_name text, email text,
                                    is_email_verified boolean, hedgehog_config jsonb)
        RETURNS json LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN json_build_object('id', id, 'uuid', uuid, 'distinct_id', distinct_id, 'first_name', first_name,
                                 'last_name', last_name, 'email', email, 'is_email_verified', is_email_verified,
                                 'hedgehog_config', hedgehog_config);
      ALTER TABLE users ADD COLUMN embedded json NOT NULL GENERATED ALWAYS AS (
        embedded_user(id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config)) STORED;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE users DROP COLUMN embedded;
      DROP FUNCTION embedded_user(integer, uuid, text, text, text, text, boolean, jsonb);
    `);
  }
}
