import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many actions each project has that are not deleted, always up to date, so that no list has to count them. */
export class ActionCounts1700000000020 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Several rows a project, whose sum counts: each writer changes one that nobody else has locked.
      CREATE TABLE action_counts (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
        number bigint NOT NULL
      ) WITH (fillfactor = 50);
      -- Without the number: a change of it alone then leaves the index as it is.
      CREATE INDEX action_counts_by_project ON action_counts (project_id);

      CREATE FUNCTION count_actions(project integer, difference bigint) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE action_counts SET number = number + difference
         WHERE id = (SELECT id FROM action_counts WHERE project_id = project
                      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED);
        IF NOT FOUND THEN
          INSERT INTO action_counts (project_id, number) VALUES (project, difference);
        END IF;
      END $$;

      CREATE FUNCTION actions_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM count_actions(project_id, count(*)) FROM inserted WHERE NOT deleted GROUP BY project_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER actions_inserted AFTER INSERT ON actions
        REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION actions_inserted();

      -- The counts of a project that is gone go with it.
      CREATE FUNCTION actions_removed() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM count_actions(project_id, -count(*)) FROM removed
          WHERE NOT deleted AND EXISTS (SELECT FROM projects p WHERE p.id = removed.project_id)
          GROUP BY project_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER actions_removed AFTER DELETE ON actions
        REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION actions_removed();

      CREATE FUNCTION actions_moved() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NOT OLD.deleted THEN PERFORM count_actions(OLD.project_id, -1); END IF;
        IF NOT NEW.deleted THEN PERFORM count_actions(NEW.project_id, 1); END IF;
        RETURN NULL;
      END $$;
      -- By row, so that the changes that move nothing, which are nearly all, cost nothing.
      CREATE TRIGGER actions_moved AFTER UPDATE ON actions FOR EACH ROW
        WHEN (OLD.deleted <> NEW.deleted OR OLD.project_id <> NEW.project_id) EXECUTE FUNCTION actions_moved();

      CREATE FUNCTION actions_truncated() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        DELETE FROM action_counts;
        RETURN NULL;
      END $$;
      CREATE TRIGGER actions_truncated AFTER TRUNCATE ON actions
        FOR EACH STATEMENT EXECUTE FUNCTION actions_truncated();

      -- After the triggers, which have locked out whoever would change what is counted here.
      INSERT INTO action_counts (project_id, number)
        SELECT project_id, count(*) FROM actions WHERE NOT deleted GROUP BY project_id;

      -- For the orders that members can be asked for in, both ways.
      CREATE INDEX organization_memberships_by_level ON organization_memberships (organization_id, level, id);
      CREATE INDEX organization_memberships_by_change ON organization_memberships (organization_id, updated_at, id);
      DROP INDEX plugin_configs_by_plugin;
      CREATE INDEX plugin_configs_by_plugin ON plugin_configs (plugin_id, id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX plugin_configs_by_plugin, organization_memberships_by_change, organization_memberships_by_level;
      CREATE INDEX plugin_configs_by_plugin ON plugin_configs (plugin_id);
      DROP TRIGGER actions_truncated ON actions;
      DROP TRIGGER actions_moved ON actions;
      DROP TRIGGER actions_removed ON actions;
      DROP TRIGGER actions_inserted ON actions;
      DROP FUNCTION actions_truncated(), actions_moved(), actions_removed(), actions_inserted(),
        count_actions(integer, bigint);
      DROP TABLE action_counts;
    `);
  }
}
