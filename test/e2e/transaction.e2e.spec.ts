import { NotFound } from '../../src/shared/domain/domain-error';
import { createDataSource } from '../../src/shared/persistence/data-source';
import { isDatabaseUnavailable } from '../../src/shared/persistence/database-errors';
import { Statement } from '../../src/shared/persistence/statement';
import { Transaction } from '../../src/shared/persistence/transaction';
import { TestApi } from '../support/api';

const LOCK = new Statement<never>('test.lock', 'SELECT pg_advisory_xact_lock(17)');

describe('A transaction', () => {
  let api: TestApi;
  let transaction: Transaction;

  beforeAll(async () => {
    api = await TestApi.start();
    transaction = api.app.get(Transaction);
  });
  afterAll(() => api?.stop());

  const fail = (code: string) => transaction.manager.query(`DO $$ BEGIN RAISE SQLSTATE '${code}'; END $$`);

  it('is run again when it lost against another one, three times at most', async () => {
    let runs = 0;
    const answer = await transaction.run(async () => {
      runs += 1;
      if (runs < 3) await fail('40P01');
      return 'won';
    });
    expect([answer, runs]).toEqual(['won', 3]);
    runs = 0;
    const losing = transaction.run(async () => {
      runs += 1;
      await fail('40001');
    });
    await expect(losing).rejects.toMatchObject({ code: '40001' });
    expect(runs).toBe(3);
  });

  it('is not run again for any other failure', async () => {
    let runs = 0;
    const failing = transaction.run(async () => {
      runs += 1;
      throw new Error('A rule');
    });
    await expect(failing).rejects.toThrow('A rule');
    expect(runs).toBe(1);
  });

  it('finds nothing where what it refers to has just gone', async () => {
    await expect(transaction.run(() => fail('23503'))).rejects.toBeInstanceOf(NotFound);
  });

  it('may take its time, alone', async () => {
    const timeout = async () =>
      (await transaction.manager.query('SHOW statement_timeout'))[0].statement_timeout;
    await transaction.run(async () => {
      expect(await timeout()).toBe('30s');
      await transaction.takeTime();
      expect(await timeout()).toBe('0');
    });
    expect(await transaction.run(timeout)).toBe('30s');
  });

  it('takes part in the one that is open, and is undone with it', async () => {
    const owner = await api.owner();
    const rename = () =>
      transaction.manager.query("UPDATE organizations SET name = 'Half' WHERE id = $1", [
        owner.organizationId,
      ]);
    const whole = transaction.run(async () => {
      await transaction.run(rename);
      throw new Error('Half-way');
    });
    await expect(whole).rejects.toThrow('Half-way');
    expect((await owner.get('/api/organizations/@current/')).body.name).not.toBe('Half');
  });

  it('cannot write outside', async () => {
    expect(() => transaction.manager).toThrow('No transaction is open');
    expect(() => transaction.write(LOCK, [])).toThrow('No transaction is open');
    await expect(transaction.send(LOCK, [])).rejects.toThrow('No transaction is open');
  });

  describe('that sends something', () => {
    /** What it does besides, to be seen or not. */
    const mark = () => transaction.manager.query("UPDATE organizations SET name = 'Marked'");
    const marked = () => api.rows("SELECT id FROM organizations WHERE name = 'Marked'");
    const failing = (code: string) =>
      transaction.send(new Statement<never>(`test.fail_${code}`, 'SELECT test_fail($1)'), [code]);

    beforeAll(async () => {
      await api.owner();
      await api.rows(`
        CREATE FUNCTION test_fail(code text) RETURNS void LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION USING ERRCODE = code; END $$`);
    });
    beforeEach(() => api.rows("UPDATE organizations SET name = 'As it was'"));

    it('does not wait for it, but commits after it', async () => {
      const holder = createDataSource({ url: api.databaseUrl, poolSize: 1 });
      await holder.initialize();
      try {
        await holder.query('SELECT pg_advisory_lock(17)');
        await transaction.run(async () => {
          await mark();
          await transaction.send(LOCK, []);
          // Would never be reached if it waited.
          return holder.query('SELECT pg_advisory_unlock(17)');
        });
        expect(await marked()).not.toEqual([]);
      } finally {
        await holder.destroy();
      }
    });

    it('is undone where that fails, and fails with it', async () => {
      const running = transaction.run(async () => {
        await mark();
        await failing('P0001');
      });
      await expect(running).rejects.toMatchObject({ code: 'P0001' });
      expect(await marked()).toEqual([]);
    });

    it('tells of what failed first', async () => {
      const running = transaction.run(async () => {
        await mark();
        await failing('P0001');
        await transaction.manager.query('SELECT 1');
      });
      await expect(running).rejects.toMatchObject({ code: 'P0001' });
      const refused = transaction.run(async () => {
        await transaction.send(LOCK, []);
        throw new Error('A rule');
      });
      await expect(refused).rejects.toThrow('A rule');
      expect(await marked()).toEqual([]);
    });

    it('waits for it in a part of its own, which alone is undone', async () => {
      await transaction.run(async () => {
        await mark();
        await expect(transaction.part(() => failing('P0001'))).rejects.toMatchObject({ code: 'P0001' });
        const undone = transaction.part(async () => {
          await transaction.manager.query("UPDATE organizations SET name = 'Undone'");
          throw new Error('A rule');
        });
        await expect(undone).rejects.toThrow('A rule');
      });
      expect(await marked()).not.toEqual([]);
    });

    it('does nothing any more when its connection is lost', async () => {
      const running = transaction.run(async () => {
        const lost = transaction.manager.query('SELECT pg_terminate_backend(pg_backend_pid())');
        await expect(lost).rejects.toThrow();
        for (const ask of [mark, () => transaction.run(mark)]) await ask().catch(() => undefined);
      });
      const error = await running.catch((thrown: unknown) => thrown);
      expect(isDatabaseUnavailable(error)).toBe(true);
      expect(await marked()).toEqual([]);
    });

    it('has no part in what goes on when it is over', async () => {
      let late: Promise<unknown> = Promise.resolve();
      let end: () => void = () => undefined;
      await transaction.run(async () => {
        const isOver = new Promise<void>((over) => {
          end = over;
        });
        late = isOver.then(() => transaction.send(LOCK, []));
      });
      end();
      await expect(late).rejects.toThrow('No transaction is open');
    });

    it('is run again, or finds nothing, as with any statement', async () => {
      let runs = 0;
      const answer = await transaction.run(async () => {
        runs += 1;
        await mark();
        if (runs < 3) await failing('40P01');
        return 'won';
      });
      expect([answer, runs]).toEqual(['won', 3]);
      await expect(transaction.run(() => failing('23503'))).rejects.toBeInstanceOf(NotFound);
    });
  });

  it('gives a statement up that takes too long', async () => {
    const impatient = await createDataSource({
      url: api.databaseUrl,
      poolSize: 1,
      statementTimeout: 50,
    }).initialize();
    const error = await impatient.query('SELECT pg_sleep(20)').catch((thrown: unknown) => thrown);
    await impatient.destroy();
    expect(isDatabaseUnavailable(error)).toBe(true);
  });
});
