import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How an action is shown (2.9) is kept with it, not made whenever it is read: that was half of what a page of actions
 * costs. PostgreSQL itself keeps it as the action's columns are. Who created it, which another table knows, stands
 * between the two texts.
 */
export class ShownActions1700000000029 implements MigrationInterface {
  name = 'ShownActions1700000000029';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Immutable, as what makes columns that are kept must be: of these types none depends on settings. Put together
      -- by hand: through a row of a query each would take three times as long to write.
      CREATE FUNCTION action_before_creator(id integer, name text, description text, tags text[], post_to_slack boolean,
                                            slack_message_format text, steps json, created_at timestamptz)
        RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN '{"id":' || id || ',"name":' || to_json(name) || ',"description":' || to_json(description)
          || ',"tags":' || to_json(tags) || ',"post_to_slack":' || post_to_slack
          || ',"slack_message_format":' || to_json(slack_message_format) || ',"steps":' || steps
          || ',"created_at":"' || iso8601(created_at) || '","created_by":';
      CREATE FUNCTION action_after_creator(deleted boolean, last_calculated_at timestamptz, project_id integer,
                                           bytecode_error text, pinned_at timestamptz)
        RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN ',"deleted":' || deleted || ',"is_calculating":false,"last_calculated_at":"' || iso8601(last_calculated_at)
          || '","team_id":' || project_id || ',"is_action":true,"bytecode_error":'
          || coalesce(to_json(bytecode_error)::text, 'null')
          || ',"pinned_at":' || coalesce('"' || iso8601(pinned_at) || '"', 'null') || ',"creation_context":null}';
      ALTER TABLE actions
        ADD COLUMN before_creator text NOT NULL GENERATED ALWAYS AS (
          action_before_creator(id, name, description, tags, post_to_slack, slack_message_format, steps, created_at)
        ) STORED,
        ADD COLUMN after_creator text NOT NULL GENERATED ALWAYS AS (
          action_after_creator(deleted, last_calculated_at, project_id, bytecode_error, pinned_at)
        ) STORED;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE actions DROP COLUMN before_creator, DROP COLUMN after_creator;
      DROP FUNCTION action_before_creator(integer, text, text, text[], boolean, text, json, timestamptz);
      DROP FUNCTION action_after_creator(boolean, timestamptz, integer, text, timestamptz);
    `);
  }
}
