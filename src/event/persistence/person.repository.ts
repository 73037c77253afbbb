import { Injectable } from '@nestjs/common';
import { v5 as uuidv5 } from 'uuid';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { KnownPerson } from '../domain/person';
import { PersonRoster } from '../domain/person-roster';

/** The namespace of the ids of persons (RFC 9562, 5.5): must never change. */
const PERSONS = '018f2b6c-5d1e-7c43-9a0b-6e2f4d81c357';

const BELONGINGS = new Statement<{ distinct_id: string; person_id: string }>(
  'person.belongings',
  'SELECT distinct_id, person_id FROM person_distinct_ids WHERE project_id = $1 AND distinct_id = ANY($2::text[])',
);

/** Locks them in one order, so that batches that change the same persons wait for one another and never both. */
const PERSONS_TO_CHANGE = new Statement<KnownPerson>(
  'person.to_change',
  `SELECT id, properties, is_identified AS "isIdentified" FROM persons
    WHERE project_id = $1 AND id IN (
      SELECT person_id FROM person_distinct_ids WHERE project_id = $1 AND distinct_id = ANY($2::text[]))
    ORDER BY id FOR NO KEY UPDATE`,
);

const CREATE = new Statement<{ count: number }>(
  'person.create',
  `WITH person AS (
     INSERT INTO persons (project_id, id, properties, version, is_identified, created_at, updated_at)
     SELECT $1, id, properties, 0, is_identified, $2, $2
       FROM unnest($3::uuid[], $4::json[], $5::boolean[]) AS new (id, properties, is_identified)
     ON CONFLICT DO NOTHING RETURNING id)
   SELECT count(*)::int AS count FROM person`,
);

const ADD_DISTINCT_IDS = new Statement<{ count: number }>(
  'person.add_distinct_ids',
  `WITH belonging AS (
     INSERT INTO person_distinct_ids (project_id, distinct_id, person_id, version)
     SELECT $1, distinct_id, person_id, 0
       FROM unnest($2::text[], $3::uuid[]) AS new (distinct_id, person_id)
     ON CONFLICT DO NOTHING RETURNING distinct_id)
   SELECT count(*)::int AS count FROM belonging`,
);

const CHANGE = new Statement<never>(
  'person.change',
  `UPDATE persons p
      SET properties = new.properties, is_identified = new.is_identified, version = p.version + 1, updated_at = $2
     FROM unnest($3::uuid[], $4::json[], $5::boolean[]) AS new (id, properties, is_identified)
    WHERE p.project_id = $1 AND p.id = new.id`,
);

/** The survivor counts on from whichever version is higher: receivers keep the highest. */
const ABSORB = new Statement<never>(
  'person.absorb',
  `WITH absorbed AS (SELECT * FROM unnest($2::uuid[], $3::uuid[]) AS absorbed (id, survivor)),
        moved AS (
          UPDATE person_distinct_ids d SET person_id = absorbed.survivor, version = d.version + 1
            FROM absorbed WHERE d.project_id = $1 AND d.person_id = absorbed.id),
        gone AS (
          DELETE FROM persons p USING absorbed WHERE p.project_id = $1 AND p.id = absorbed.id
          RETURNING absorbed.survivor, p.version, p.created_at)
   UPDATE persons p SET version = greatest(p.version, gone.version + 1), created_at = least(p.created_at, gone.created_at)
     FROM (SELECT survivor, max(version) AS version, min(created_at) AS created_at FROM gone GROUP BY survivor) AS gone
    WHERE p.project_id = $1 AND p.id = gone.survivor`,
);

/** What was begun beside other batches has to begin anew, with no other one under way. */
export class NeedsToBeAlone extends Error {}

@Injectable()
export class PersonRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * Whom distinct ids belong to. The persons of those that something is told of are locked until the transaction ends.
   * @param toldOf of the distinct ids, those that something is told of beyond an event
   */
  async roster(
    projectId: number,
    distinctIds: readonly string[],
    toldOf: readonly string[],
  ): Promise<PersonRoster> {
    const belongings = await this.transaction.rows(BELONGINGS, [projectId, distinctIds]);
    const persons =
      toldOf.length === 0 ? [] : await this.transaction.rows(PERSONS_TO_CHANGE, [projectId, toldOf]);
    return new PersonRoster(
      belongings.map(({ distinct_id, person_id }) => [distinct_id, person_id]),
      persons,
      (distinctId) => uuidv5(`${projectId}:${distinctId}`, PERSONS),
    );
  }

  /** @throws NeedsToBeAlone when another batch has just made one of the same persons */
  async save(projectId: number, roster: PersonRoster, arrivedAt: string): Promise<void> {
    const { created, changed, belongings, absorbed } = roster;
    // In one order, for the same reason as above.
    created.sort((a, b) => (a.id < b.id ? -1 : 1));
    belongings.sort(([a], [b]) => (a < b ? -1 : 1));
    if (created.length > 0) {
      const [row] = await this.transaction.rows(CREATE, [projectId, arrivedAt, ...columnsOf(created)]);
      if (row?.count !== created.length) throw new NeedsToBeAlone();
    }
    if (belongings.length > 0) {
      const columns = [belongings.map(([distinctId]) => distinctId), belongings.map(([, id]) => id)];
      const [row] = await this.transaction.rows(ADD_DISTINCT_IDS, [projectId, ...columns]);
      if (row?.count !== belongings.length) throw new NeedsToBeAlone();
    }
    if (changed.length > 0) {
      await this.transaction.rows(CHANGE, [projectId, arrivedAt, ...columnsOf(changed)]);
    }
    if (absorbed.length > 0) {
      const columns = [absorbed.map(({ id }) => id), absorbed.map(({ by }) => by)];
      await this.transaction.rows(ABSORB, [projectId, ...columns]);
    }
  }
}

const columnsOf = (persons: readonly { id: string; json: string; isIdentified: boolean }[]): unknown[] => [
  persons.map(({ id }) => id),
  persons.map(({ json }) => json),
  persons.map(({ isIdentified }) => isIdentified),
];
