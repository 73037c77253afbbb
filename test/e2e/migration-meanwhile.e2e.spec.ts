import { Client } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { createDataSource } from '../../src/shared/persistence/data-source';
import { migrate } from '../../src/shared/persistence/migrate';
import { ShownActions1700000000029 } from '../../src/shared/persistence/migrations/1700000000029-shown-actions';
import { Statement } from '../../src/shared/persistence/statement';
import { Transaction } from '../../src/shared/persistence/transaction';
import { type Person, TestApi } from '../support/api';
import { createDatabase, dropDatabase, urlOf } from '../support/database';
import { until } from '../support/server-process';

/** Enough that every connection has its statements prepared. */
const TIMES = 15;

describe('A migration that changes columns while the version before it serves (ADR 2)', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });
  afterAll(() => api.stop());

  const many = async (ask: (index: number) => Promise<{ status: number }>) => {
    const answers = await Promise.all(Array.from({ length: TIMES }, (_, index) => ask(index)));
    return [...new Set(answers.map(({ status }) => status))];
  };
  const widen = (table: string, column: string, size: number) =>
    api.app.get(DataSource).query(`ALTER TABLE ${table} ALTER COLUMN ${column} TYPE varchar(${size})`);

  it('fails no write of TypeORM', async () => {
    const rename = (index: number) => owner.patch(owner.path(''), { name: `Name ${index}` });
    expect(await many(rename)).toEqual([200]);
    await widen('organizations', 'name', 300);
    expect(await many(rename)).toEqual([200]);
    await widen('organizations', 'name', 310);
    expect(await many(rename)).toEqual([200]);
  });

  it('fails no write of an action', async () => {
    const actions = await Promise.all(
      Array.from({ length: TIMES }, (_, index) =>
        owner.post(owner.projectPath('actions/'), { name: `Action ${index}` }),
      ),
    );
    const describeOne = (index: number) =>
      owner.patch(owner.projectPath(`actions/${actions[index]?.body.id}/`), { description: `as ${index}` });
    expect(await many(describeOne)).toEqual([200]);
    const { down, up } = new ShownActions1700000000029();
    await api.app.get(DataSource).transaction(async ({ queryRunner }) => {
      const runner = queryRunner as QueryRunner;
      await down(runner);
      await runner.query('ALTER TABLE actions ALTER COLUMN name TYPE varchar(500)');
      await up(runner);
    });
    expect(await many(describeOne)).toEqual([200]);
  });

  it('fails no read', async () => {
    const transaction = api.app.get(Transaction);
    const statement = new Statement<{ name: string }>('test.names', 'SELECT name FROM organizations LIMIT 1');
    const read = async () => ({ status: (await transaction.rows(statement, [])).length });
    expect(await many(read)).toEqual([1]);
    await widen('organizations', 'name', 320);
    expect(await many(read)).toEqual([1]);
  });
});

describe('Migrations that rewrite tables in use', () => {
  const database = `hedgerow_rewritten_${process.pid}`;
  const url = urlOf(database);
  const reader = new Client({ connectionString: url });

  beforeAll(async () => {
    await createDatabase(database);
    const source = await createDataSource({ url, poolSize: 1 }).initialize();
    // That of the actions, and that of the users before it.
    await source.undoLastMigration();
    await source.undoLastMigration();
    await source.destroy();
    await reader.connect();
  });
  afterAll(async () => {
    await reader.end();
    await dropDatabase(database);
  });

  it('have given up one table before they wait for those who read the next', async () => {
    await reader.query('BEGIN; SELECT FROM actions');
    const migrating = migrate(url);
    await until(async () => {
      const waiting = 'SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass';
      return (await reader.query(waiting, ['actions'])).rowCount === 1;
    });
    await reader.query('SELECT embedded FROM users');
    await reader.query('COMMIT');
    expect((await migrating).migrations).toHaveLength(2);
    await reader.query('SELECT before_creator, after_creator FROM actions');
  });
});
