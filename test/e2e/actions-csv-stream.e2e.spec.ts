import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { CsvLimits } from '../../src/action/http/csv-answers';
import { type Person, TestApi } from '../support/api';
import { until } from '../support/server-process';

const LIMITS: CsvLimits = { atOnce: 8, atOnceOfOne: 4, patience: 5_000, stall: 30_000 };

/** The answer, of which nothing is read yet. */
async function begin(owner: Person, path: string): Promise<IncomingMessage> {
  const request = get(owner.url + path, { headers: { Authorization: `Bearer ${owner.key}` }, agent: false });
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer;
}

/** The rest of an answer. @throws Error when it is cut off */
async function rest(answer: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return text;
}

const column = (csv: string, name: string): string[] => {
  const [header = '', ...rows] = csv.trimEnd().split('\r\n');
  const place = header.split(',').indexOf(name);
  return rows.map((row) => row.split(',')[place] ?? '');
};

describe('A table of very many actions', () => {
  let api: TestApi;
  let owner: Person;
  let path: string;

  async function start(limits: Partial<CsvLimits> = {}): Promise<void> {
    api = await TestApi.start({}, [[CsvLimits, { ...LIMITS, ...limits }]]);
    owner = await api.owner();
    path = owner.projectPath('actions/');
  }
  afterEach(() => api.stop());

  /** In an order that is not that of their ids. */
  const fill = (number: number, description = '') =>
    api.rows(
      `INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                            created_by_id, deleted, last_calculated_at)
       SELECT $1, 'Action ' || i, $4, '{}', false, '', '[]', now(), $2, i % 10 = 0,
              '2025-01-01T00:00Z'::timestamptz + (i * 7919 % 1000) * interval '1 s'
         FROM generate_series(1, $3::integer) AS i`,
      [owner.projectId, owner.user.id, number, description],
    );

  it('has each of them once, in the order of the list; a limit is one of pages', async () => {
    await start();
    await fill(20_000);
    const { text } = await owner.get(`${path}?format=csv`);
    const listed = await api.rows<{ id: number }>(
      'SELECT id FROM actions WHERE NOT deleted ORDER BY last_calculated_at DESC, name, id',
    );
    const ids = listed.map(({ id }) => String(id));
    expect(ids).toHaveLength(18_000);
    expect(column(text, 'id')).toEqual(ids);
    const part = async (query: string) => column((await owner.get(`${path}?format=csv&${query}`)).text, 'id');
    expect(await part('limit=3&offset=9')).toEqual(ids.slice(9, 12));
    expect(await part('offset=17990')).toEqual(ids.slice(17_990));
    expect(await part('limit=5000')).toEqual(ids.slice(0, 1000));
    expect(await part('offset=18000')).toEqual([]);
  });

  it('has the columns of whatever is anywhere in them, however it is nested and named', async () => {
    await start();
    await fill(2_000);
    const filter = {
      'a.b': [],
      '': [[1], { deep: [null, { x: 'é' }] }],
      __proto__: null,
      none: {},
      'q"': -1,
      7: true,
    };
    await owner.post(path, {
      name: 'Odd',
      steps: [{ event: 'e' }, { properties: [filter] }],
      tags: ['t', 'u', 'v'],
    });
    const { text: one } = await owner.get(`${path}?format=csv&limit=1`);
    const { text: all } = await owner.get(`${path}?format=csv`);
    expect(all.split('\r\n')[0]).toBe(one.split('\r\n')[0]);
    const { body } = await owner.get(`${path}?limit=1`);
    const { text: retrieved } = await owner.get(`${path}${body.results[0].id}/?format=csv`);
    expect(one).toBe(retrieved);
    for (const name of [
      'steps.1.properties.0..1.deep.1.x',
      'steps.1.properties.0.7',
      'tags.2',
      '"steps.1.properties.0.q"""',
    ]) {
      expect(one.split('\r\n')[0]?.split(',')).toContain(name);
    }
  });

  it('misses none and repeats none when their order changes while it is read', async () => {
    await start();
    await fill(2_500, 'x'.repeat(9_000));
    const answer = await begin(owner, `${path}?format=csv`);
    await api.rows(
      `UPDATE actions SET name = 'New ' || id, last_calculated_at = now() - id * interval '1 s'`,
    );
    const { body } = await owner.post(path, { name: 'Another' });
    const ids = column(await rest(answer), 'id');
    expect(ids).toHaveLength(2_250);
    expect(new Set(ids).size).toBe(2_250);
    expect(ids).not.toContain(String(body.id));
  });

  it('leaves out what is deleted before it is read', async () => {
    await start();
    await fill(2_500, 'x'.repeat(9_000));
    const answer = await begin(owner, `${path}?format=csv`);
    await api.rows('UPDATE actions SET deleted = true');
    const shown = column(await rest(answer), 'id').length;
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(2_250);
  });

  it('is cut off, rather than complete, when it cannot go on', async () => {
    await start();
    await fill(2_500, 'x'.repeat(9_000));
    const answer = await begin(owner, `${path}?format=csv`);
    await api.rows(`UPDATE actions SET tags = '{unforeseen}'`);
    await expect(rest(answer)).rejects.toThrow('aborted');
    expect(answer.complete).toBe(false);
  });

  it('fails like anything else before its first rows', async () => {
    await start();
    await fill(10);
    await api.rows('ALTER TABLE actions RENAME COLUMN tags TO labels');
    expect(await owner.get(`${path}?format=csv`)).toMatchObject({ status: 500, body: { code: 'error' } });
  });

  it('is one of few at a time: who waits for long is told to come again, and who leaves makes room', async () => {
    await start({ atOnce: 1, atOnceOfOne: 1, patience: 20 });
    await fill(2_500, 'x'.repeat(9_000));
    const first = await begin(owner, `${path}?format=csv`);
    const refused = await owner.get(`${path}?format=csv`);
    expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await owner.get(path)).status).toBe(200);
    first.destroy();
    await until(async () => (await owner.get(`${path}?format=csv&limit=1`)).status === 200);
  });

  it('is cut off for a caller who does not take it', async () => {
    await start({ atOnce: 1, atOnceOfOne: 1, stall: 50 });
    await fill(2_500, 'x'.repeat(9_000));
    const answer = await begin(owner, `${path}?format=csv`);
    // Its turn comes when the other's has ended.
    expect((await owner.get(`${path}?format=csv&limit=1`)).status).toBe(200);
    await expect(rest(answer)).rejects.toThrow('aborted');
  });

  it('is cut off as well where it is of one piece, of which the system takes a part', async () => {
    await start({ atOnce: 1, atOnceOfOne: 1, stall: 50 });
    await fill(450, 'x'.repeat(9_900));
    const answer = await begin(owner, `${path}?format=csv&limit=400`);
    expect((await owner.get(`${path}?format=csv&limit=1`)).status).toBe(200);
    await expect(rest(answer)).rejects.toThrow('aborted');
  });
});
