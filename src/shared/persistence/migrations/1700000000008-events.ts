import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Captured events, and the persons that they tell of. */
export class Events1700000000008 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- JSON is kept as text: it is written and exported far more often than looked into.
      CREATE TABLE events (
        project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
        uuid uuid NOT NULL,
        -- When it arrived. No event is added before what is closed (closed_arrivals).
        created_at timestamptz NOT NULL,
        timestamp timestamptz NOT NULL,
        person_id uuid NOT NULL,
        event text NOT NULL,
        distinct_id text NOT NULL,
        elements_chain text,
        set json,
        set_once json,
        properties json NOT NULL,
        PRIMARY KEY (project_id, uuid)
      );
      CREATE INDEX events_by_arrival ON events (project_id, created_at, uuid);

      CREATE TABLE persons (
        project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
        id uuid NOT NULL,
        properties json NOT NULL,
        version integer NOT NULL,
        is_identified boolean NOT NULL,
        created_at timestamptz NOT NULL,
        -- When the latest change arrived; under the same rule as the arrival of events.
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (project_id, id)
      );
      CREATE INDEX persons_by_change ON persons (project_id, updated_at, id);

      -- Refers to the project and not to the person: a foreign key to persons would make the deletion of a project
      -- look for the distinct ids of each of its persons one by one.
      CREATE TABLE person_distinct_ids (
        project_id integer NOT NULL REFERENCES projects ON DELETE CASCADE,
        distinct_id text NOT NULL,
        person_id uuid NOT NULL,
        version integer NOT NULL,
        PRIMARY KEY (project_id, distinct_id)
      );
      CREATE INDEX person_distinct_ids_by_person ON person_distinct_ids (project_id, person_id, distinct_id);

      -- Up to when nothing arrives any more, of each project that was read for an export.
      CREATE TABLE closed_arrivals (
        project_id integer PRIMARY KEY REFERENCES projects ON DELETE CASCADE,
        until timestamptz NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE closed_arrivals, person_distinct_ids, persons, events');
  }
}
