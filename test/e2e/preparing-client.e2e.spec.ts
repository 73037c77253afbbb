import type { Duplex } from 'node:stream';
import type { PoolClient, QueryResult } from 'pg';
import { type DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import { createDataSource } from '../../src/shared/persistence/data-source';
import { entity } from '../../src/shared/persistence/entity';
import { PreparingClient } from '../../src/shared/persistence/preparing-client';
import { createDatabase, dropDatabase, urlOf } from '../support/database';

class Parcel {
  readonly id!: number;
  readonly label!: string;
}

const ParcelSchema = entity(Parcel, {
  tableName: 'parcels',
  columns: { id: { type: 'integer', primary: true }, label: { type: 'varchar' } },
});

const NAMED = /^typeorm\.\d+$/;

describe('A connection', () => {
  const database = `hedgerow_preparing_${process.pid}_${Date.now()}`;
  let dataSource: DataSource;
  let runner: QueryRunner;
  let client: PoolClient;

  beforeAll(async () => {
    await createDatabase(database, null);
    dataSource = await createDataSource({
      url: urlOf(database),
      poolSize: 1,
      entities: [ParcelSchema],
    }).initialize();
    await dataSource.query(
      'CREATE TABLE parcels (id integer PRIMARY KEY, label varchar NOT NULL CONSTRAINT parcels_label_unique UNIQUE)',
    );
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await dropDatabase(database);
  });

  beforeEach(async () => {
    runner = dataSource.createQueryRunner();
    client = (await runner.connect()) as PoolClient;
    await client.query('TRUNCATE parcels');
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return runner.release();
  });

  /** The names under which the connection has a statement that says this. */
  const preparedFor = async (part: string): Promise<string[]> => {
    const { rows } = await client.query('SELECT name, statement FROM pg_prepared_statements ORDER BY name');
    return rows.filter(({ statement }) => statement.includes(part)).map(({ name }) => name);
  };

  /** Counts from now on in how many pieces what is asked is sent. */
  function sentPieces(): () => number {
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    const sending = [jest.spyOn(stream, '_write'), jest.spyOn(stream, '_writev')];
    return () => sending.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  }

  it('prepares what TypeORM sends with values, once', async () => {
    const find = (id: number) => runner.manager.find(ParcelSchema, { where: { id } });
    const isFind = '"Parcel"."id" AS';
    await runner.manager.insert(ParcelSchema, { id: 1, label: 'one' });
    expect(await preparedFor(isFind)).toEqual([]);
    expect(await find(1)).toEqual([{ id: 1, label: 'one' }]);
    const names = await preparedFor(isFind);
    expect(names).toEqual([expect.stringMatching(NAMED)]);
    expect(await find(2)).toEqual([]);
    expect(await preparedFor(isFind)).toEqual(names);
    expect(await preparedFor('INSERT INTO "parcels"')).toEqual([expect.stringMatching(NAMED)]);
  });

  it('has the same name for a statement as any other', async () => {
    const other = await createDataSource({ url: urlOf(database), poolSize: 1 }).initialize();
    const statement = 'SELECT $1::int AS everywhere';
    const names = "SELECT name FROM pg_prepared_statements WHERE statement LIKE '%AS everywhere'";
    try {
      await runner.query('SELECT $1::int AS here_first', [1]);
      await runner.query(statement, [1]);
      await other.query(statement, [1]);
      const found = await other.query(names);
      expect(found).toEqual([{ name: expect.stringMatching(NAMED) }]);
      expect(await runner.query(names)).toEqual(found);
    } finally {
      await other.destroy();
    }
  });

  it('leaves statements as they are that have no values or a name', async () => {
    for (const values of [undefined, []]) {
      expect(await runner.query('SELECT 1 AS without', values)).toEqual([{ without: 1 }]);
      // Several at once cannot be prepared.
      await runner.query('SELECT 1 AS without; SELECT 2 AS without', values);
    }
    expect(await preparedFor('AS without')).toEqual([]);
    const config = { name: 'own.name', text: 'SELECT $1::int AS own', values: [3] };
    for (let times = 0; times < 2; times += 1)
      expect((await client.query(config)).rows).toEqual([{ own: 3 }]);
    expect(await preparedFor('AS own')).toEqual(['own.name']);
    const { rows } = await client.query({ text: 'SELECT $1::int AS nameless', values: [4] });
    expect(rows).toEqual([{ nameless: 4 }]);
    expect(await preparedFor('AS nameless')).toEqual([]);
  });

  it('sends in one piece what is asked in one go, and does not wait for answers in between', async () => {
    const pieces = sentPieces();
    const sum = (a: number, b: number) => client.query('SELECT $1::int + $2::int AS sum', [a, b]);
    const results = await Promise.all([sum(1, 2), client.query('SELECT 1 AS plain'), sum(3, 4)]);
    expect(results.map(({ rows }) => rows)).toEqual([[{ sum: 3 }], [{ plain: 1 }], [{ sum: 7 }]]);
    expect(pieces()).toBe(1);
    await sum(5, 6);
    expect(pieces()).toBe(2);
  });

  it('outlives a connection that is lost before anybody listens', () => {
    const lost = new PreparingClient({ connectionString: urlOf(database) });
    expect(lost.emit('error', new Error('terminating connection due to administrator command'))).toBe(true);
  });

  it('calls back', async () => {
    type Answer = (error: Error | null, result: QueryResult) => void;
    const called = (ask: (answer: Answer) => void) =>
      new Promise<unknown[]>((resolve, reject) => {
        ask((error, result) => (error ? reject(error) : resolve(result.rows)));
      });
    expect(await called((answer) => client.query('SELECT 5 AS n', answer))).toEqual([{ n: 5 }]);
    expect(await called((answer) => client.query('SELECT 5 AS n', [], answer))).toEqual([{ n: 5 }]);
    expect(await called((answer) => client.query('SELECT $1::int AS called', [6], answer))).toEqual([
      { called: 6 },
    ]);
    expect(await preparedFor('AS called')).toEqual([expect.stringMatching(NAMED)]);
    await expect(called((answer) => client.query('SELECT 1 / $1::int', [0], answer))).rejects.toMatchObject({
      code: '22012',
    });
  });

  it('tells of an error as any does, and goes on', async () => {
    const insert = (id: number, label: string) => runner.manager.insert(ParcelSchema, { id, label });
    await insert(1, 'one');
    for (let times = 0; times < 2; times += 1) {
      const error = await insert(2, 'one').catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(QueryFailedError);
      expect(error).toMatchObject({ code: '23505', constraint: 'parcels_label_unique' });
    }
    await insert(2, 'two');
    expect(await runner.manager.count(ParcelSchema)).toBe(2);
  });

  it('prepares later what could not be at first', async () => {
    const count = () => runner.query('SELECT count(*)::int AS later FROM late WHERE id > $1', [0]);
    await expect(count()).rejects.toMatchObject({ code: '42P01' });
    await runner.startTransaction();
    await expect(runner.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(count()).rejects.toMatchObject({ code: '25P02' });
    await runner.rollbackTransaction();
    expect(await preparedFor('AS later')).toEqual([]);
    await runner.query('CREATE TABLE late (id integer)');
    expect(await count()).toEqual([{ later: 0 }]);
    expect(await preparedFor('AS later')).toEqual([expect.stringMatching(NAMED)]);
  });

  it('goes on after a value that cannot be written', async () => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const written = (value: unknown) => runner.query('SELECT $1::text AS written', [value]);
    for (let times = 0; times < 2; times += 1) {
      await expect(written(endless)).rejects.toThrow('circular structure');
      await expect(written([endless])).rejects.toThrow('circular structure');
      expect(await written('a')).toEqual([{ written: 'a' }]);
    }
    expect(await preparedFor('AS written')).toEqual([expect.stringMatching(NAMED)]);
    expect(await written({ n: 1 })).toEqual([{ written: '{"n":1}' }]);
  });

  it('prepares statements with values of every kind that TypeORM sends', async () => {
    const date = new Date('2025-01-06T00:00:00.123Z');
    const values = ['a', 1, true, null, date, Buffer.from('b'), ['c', null, 2]];
    const types = ['text', 'int', 'bool', 'text', 'timestamptz', 'bytea', 'text[]'];
    const columns = types.map((type, index) => `$${index + 1}::${type} AS kind${index + 1}`);
    expect(await runner.query(`SELECT ${columns}`, values)).toEqual([
      {
        kind1: 'a',
        kind2: 1,
        kind3: true,
        kind4: null,
        kind5: date,
        kind6: Buffer.from('b'),
        kind7: ['c', null, '2'],
      },
    ]);
    expect(await preparedFor('AS kind1')).toEqual([expect.stringMatching(NAMED)]);
  });

  // The last one: the process has no name left after it.
  it('prepares so many texts and no more', async () => {
    const numbers = Array.from({ length: 250 }, (_, number) => number);
    for (const number of numbers)
      expect(await runner.query(`SELECT $1::int + ${number} AS many`, [1])).toEqual([{ many: number + 1 }]);
    const prepared = await preparedFor('');
    expect(prepared.filter((name) => NAMED.test(name)).length).toBeLessThanOrEqual(200);
    expect(await preparedFor('+ 0 AS many')).toEqual([expect.stringMatching(NAMED)]);
    expect(await preparedFor('+ 249 AS many')).toEqual([]);
    expect(await runner.query('SELECT $1::int + 249 AS many', [2])).toEqual([{ many: 251 }]);
    expect(await runner.query('SELECT $1::int + 0 AS many', [2])).toEqual([{ many: 2 }]);
    const other = await createDataSource({ url: urlOf(database), poolSize: 1 }).initialize();
    try {
      expect(await other.query('SELECT $1::int AS late', [1])).toEqual([{ late: 1 }]);
      expect(await other.query('SELECT count(*)::int FROM pg_prepared_statements')).toEqual([{ count: 0 }]);
    } finally {
      await other.destroy();
    }
  });
});
