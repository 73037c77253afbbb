import { DataSource, type QueryRunner } from 'typeorm';
import { ShownActions1700000000029 } from '../../src/shared/persistence/migrations/1700000000029-shown-actions';
import { Statement } from '../../src/shared/persistence/statement';
import { Transaction } from '../../src/shared/persistence/transaction';
import { type Person, TestApi } from '../support/api';

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
