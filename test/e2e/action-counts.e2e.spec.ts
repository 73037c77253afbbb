import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { ActionCounts1700000000020 } from '../../src/shared/persistence/migrations/1700000000020-action-counts';
import { type Person, TestApi } from '../support/api';

const WRITERS = 8;
const ROUNDS = 60;

/** Where the kept numbers differ from what there is, in one statement: in one snapshot. */
const WRONG = `
  SELECT p.id, coalesce(kept.number, 0) AS kept, coalesce(counted.number, 0) AS counted FROM projects p
    LEFT JOIN (SELECT project_id, sum(number) AS number FROM action_counts GROUP BY 1) kept ON kept.project_id = p.id
    LEFT JOIN (SELECT project_id, count(*) AS number FROM actions WHERE NOT deleted GROUP BY 1) counted
      ON counted.project_id = p.id
   WHERE coalesce(kept.number, 0) <> coalesce(counted.number, 0)`;

const INSERT = `
  INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                       deleted, last_calculated_at)
  SELECT p, gen_random_uuid()::text, '', '{}', false, '', '[]', now(), i % 5 = 0, now()
    FROM unnest($1::integer[]) AS p, generate_series(1, $2::integer) AS i`;

/** A random one of the projects' actions, which nobody else changes. */
const ONE = (condition: string) =>
  `(SELECT id FROM actions WHERE project_id = ANY($1) AND ${condition} ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`;

const CHANGES: ((client: Client, projects: number[]) => Promise<unknown>)[] = [
  (client, projects) => client.query(INSERT, [projects.slice(0, 1), 1]),
  (client, projects) => client.query(INSERT, [projects, 20]),
  (client, projects) =>
    client.query(`UPDATE actions SET deleted = true WHERE id = ${ONE('NOT deleted')}`, [projects]),
  (client, projects) =>
    client.query(`UPDATE actions SET deleted = false WHERE id = ${ONE('deleted')}`, [projects]),
  (client, projects) =>
    client.query(`UPDATE actions SET description = 'x' WHERE id = ${ONE('true')}`, [projects]),
  (client, projects) => client.query(`DELETE FROM actions WHERE id = ${ONE('true')}`, [projects]),
  (client, projects) =>
    client.query(`UPDATE actions SET project_id = $2 WHERE id = ${ONE('true')}`, [projects, projects[1]]),
];

describe('The number of actions of a project', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });
  afterAll(() => api.stop());

  async function connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  const countOf = async (person: Person) =>
    (await person.get(person.projectPath('actions/?limit=1'))).body.count;

  it('is what the list says, through creation, deletion and restoring', async () => {
    const path = owner.projectPath('actions/');
    expect(await countOf(owner)).toBe(0);
    const { body } = await owner.post(path, { name: 'A' });
    await owner.post(path, { name: 'B' });
    expect(await countOf(owner)).toBe(2);
    await owner.patch(`${path}${body.id}/`, { deleted: true });
    expect(await countOf(owner)).toBe(1);
    await owner.patch(`${path}${body.id}/`, { description: 'Still deleted' });
    expect(await countOf(owner)).toBe(1);
    await owner.patch(`${path}${body.id}/`, { deleted: false });
    expect(await countOf(owner)).toBe(2);
    expect((await owner.post(path, { name: 'B' })).status).toBe(400);
    expect(await countOf(owner)).toBe(2);
    expect(await api.rows(WRONG)).toEqual([]);
  });

  it('is right in every snapshot, whatever is written, rolled back or written at once', async () => {
    const projects = [owner.projectId, (await api.owner()).projectId];
    let writing = WRITERS;
    const write = (writer: number) =>
      connected(async (client) => {
        for (let round = 0; round < ROUNDS; round += 1) {
          await client.query('BEGIN');
          // Several in one transaction, in whatever order of projects: nobody waits for a number, so none for another.
          for (const step of [0, 1, 2]) {
            await CHANGES[(writer + round * 3 + step) % CHANGES.length]?.(
              client,
              step % 2 ? projects : [...projects].reverse(),
            );
          }
          await client.query(round % 4 === 3 ? 'ROLLBACK' : 'COMMIT');
        }
        writing -= 1;
      });
    let looks = 0;
    const watch = connected(async (client) => {
      while (writing > 0) {
        expect((await client.query(WRONG)).rows).toEqual([]);
        looks += 1;
      }
    });
    await Promise.all([watch, ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
    expect(looks).toBeGreaterThan(0);
    expect(await api.rows(WRONG)).toEqual([]);
  });

  it('waits for no other transaction', async () => {
    await connected(async (client) => {
      await client.query('BEGIN');
      await client.query(INSERT, [[owner.projectId], 1]);
      const before = await countOf(owner);
      const { status } = await owner.post(owner.projectPath('actions/'), { name: 'Meanwhile' });
      expect(status).toBe(201);
      expect(await countOf(owner)).toBe(before + 1);
      await client.query('COMMIT');
      expect(await countOf(owner)).toBeGreaterThan(before + 1);
    });
    expect(await api.rows(WRONG)).toEqual([]);
  });

  it('goes with the project, and with the organization', async () => {
    const person = await api.owner();
    const { body: second } = await person.post(person.path('projects/'), { name: 'Second' });
    await api.rows(INSERT, [[person.projectId, second.id], 1000]);
    const rows = () =>
      api.rows('SELECT FROM action_counts WHERE project_id = ANY($1)', [[person.projectId, second.id]]);
    expect(await rows()).toHaveLength(2);
    expect((await person.delete(person.path(`projects/${second.id}/`))).status).toBe(204);
    expect(await rows()).toHaveLength(1);
    expect((await person.delete(`/api/organizations/${person.organizationId}/`)).status).toBe(204);
    expect(await rows()).toEqual([]);
    expect(await api.rows(WRONG)).toEqual([]);
  });

  it('counts what was there before it was kept', async () => {
    const runner = api.app.get(DataSource).createQueryRunner();
    const migration = new ActionCounts1700000000020();
    try {
      await migration.down(runner);
      await api.rows(INSERT, [[owner.projectId], 10]);
      await migration.up(runner);
    } finally {
      await runner.release();
    }
    expect(await countOf(owner)).toBeGreaterThanOrEqual(8);
    expect(await api.rows(WRONG)).toEqual([]);
  });

  it('is nothing once all actions are gone at once', async () => {
    await api.rows('TRUNCATE actions');
    expect(await countOf(owner)).toBe(0);
    expect(await api.rows(WRONG)).toEqual([]);
  });
});
