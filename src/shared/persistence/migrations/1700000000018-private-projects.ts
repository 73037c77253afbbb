import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Access to private projects, who sees which project, and the widest scopes that keys have in an organization. */
export class PrivateProjects1700000000018 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organizations ADD COLUMN max_key_scopes text[];

      -- The index that there was, as a constraint that access can refer to.
      ALTER TABLE projects ADD CONSTRAINT projects_of_organization UNIQUE (organization_id, id);
      DROP INDEX projects_by_organization;

      CREATE TABLE project_members (
        project_id integer NOT NULL,
        user_id integer NOT NULL REFERENCES users ON DELETE CASCADE,
        organization_id uuid NOT NULL,
        level smallint NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, user_id),
        FOREIGN KEY (organization_id, project_id) REFERENCES projects (organization_id, id) ON DELETE CASCADE,
        -- Access ends with the membership.
        FOREIGN KEY (organization_id, user_id)
          REFERENCES organization_memberships (organization_id, user_id) ON DELETE CASCADE
      );
      CREATE INDEX project_members_list ON project_members (project_id, created_at DESC, user_id DESC);
      CREATE INDEX project_members_by_membership ON project_members (organization_id, user_id);
      CREATE INDEX project_members_by_user ON project_members (user_id);

      -- Which users see which projects, and the level that they have there. Every read that must not tell of a private
      -- project asks here, and nowhere else.
      CREATE VIEW project_viewers AS
        SELECT p.id AS project_id, p.organization_id, m.user_id, greatest(m.level, given.level) AS level
          FROM projects p
          JOIN organization_memberships m ON m.organization_id = p.organization_id
          LEFT JOIN project_members given ON given.project_id = p.id AND given.user_id = m.user_id
         WHERE NOT p.access_control OR m.level >= 8 OR given.user_id IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP VIEW project_viewers;
      DROP TABLE project_members;
      CREATE INDEX projects_by_organization ON projects (organization_id, id);
      ALTER TABLE projects DROP CONSTRAINT projects_of_organization;
      ALTER TABLE organizations DROP COLUMN max_key_scopes;
    `);
  }
}
