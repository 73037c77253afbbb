import { Client, type Pool } from 'pg';
import { DataSource } from 'typeorm';
import { MOST_WAITING } from '../../src/shared/persistence/transaction';
import { type Person, TestApi } from '../support/api';
import { refusal } from '../support/matchers';
import { until } from '../support/server-process';

const TOO_BUSY = refusal(503, 'service_unavailable', 'The server has too much to do.');
const LATE = refusal(503, 'service_unavailable', 'The database does not answer.');
const PATH = '/api/organizations/@current/';

describe('More requests than the database can take', () => {
  let api: TestApi;
  let owner: Person;
  let blocker: Client;

  beforeAll(async () => {
    api = await TestApi.start({ DATABASE_POOL_SIZE: '1' });
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  beforeEach(async () => {
    blocker = new Client({ connectionString: api.databaseUrl });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE personal_api_keys IN ACCESS EXCLUSIVE MODE');
  });
  afterEach(() => blocker.end());

  const pool = () => (api.app.get(DataSource).driver as unknown as { master: Pool }).master;

  /** One request holds the connection, and so many wait for it: not at once, since then they would wait together. */
  const crowd = async (waiting: number) => {
    const connections = pool();
    const answers = [owner.get(PATH)];
    await until(() => connections.idleCount === 0 && connections.totalCount === 1);
    while (answers.length <= waiting) {
      const before = connections.waitingCount;
      answers.push(owner.get(PATH));
      await until(() => connections.waitingCount > before);
    }
    return answers;
  };

  /** As many as may, of whom none gives up before the last has come: a machine may need long for that. */
  const fullCrowd = () => {
    const { options } = pool();
    const patience = options.connectionTimeoutMillis;
    options.connectionTimeoutMillis = 0;
    return crowd(MOST_WAITING).finally(() => {
      options.connectionTimeoutMillis = patience;
    });
  };

  it('are told at once to come again, while those that wait are answered, and health is told', async () => {
    const waiting = await fullCrowd();
    const refused = await owner.get(PATH);
    expect(refused).toEqual(TOO_BUSY);
    expect(refused.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(await owner.post('/api/organizations/', { name: 'One too many' })).toEqual(TOO_BUSY);
    const stranger = api.anyone();
    expect(await stranger.get('/_livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await stranger.get('/_readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await stranger.get('/metrics')).toMatchObject({ status: 200 });

    await blocker.query('COMMIT');
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect((await owner.get(PATH)).status).toBe(200);
  });

  it('leave the work of jobs its turn', async () => {
    const waiting = await fullCrowd();
    const job = api.rows('SELECT 1 AS done');
    await blocker.query('COMMIT');
    expect(await job).toEqual([{ done: 1 }]);
    await Promise.all(waiting);
  });

  it('wait for five seconds, not longer', async () => {
    const start = Date.now();
    const [first, second] = await crowd(1);
    const late = await second;
    expect(late).toEqual(LATE);
    expect(late?.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
    expect(Date.now() - start).toBeLessThan(7_000);
    await blocker.query('COMMIT');
    expect((await first)?.status).toBe(200);
  });
});
