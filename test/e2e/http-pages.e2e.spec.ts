import { type Person, TestApi } from '../support/api';
import { refusal } from '../support/matchers';
import { sendRaw } from '../support/raw-http';

const COUNT = 25;

/** Makes that many domains, and answers their names in the order of the list. */
async function fill(owner: Person, count = COUNT): Promise<string[]> {
  const prefix = owner.organizationId.slice(-12);
  const names = Array.from({ length: count }, (_, index) => `${prefix}-${index + 10}.example.com`);
  // Made in another order than they are listed in.
  for (const name of [...names].reverse()) {
    expect((await owner.post(owner.path('domains/'), { domain: name })).status).toBe(201);
  }
  return names;
}

describe('Pages (D5)', () => {
  let api: TestApi;
  let owner: Person;
  let names: string[];

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    names = await fill(owner);
  });
  afterAll(() => api?.stop());

  const list = (query: string) => owner.get(owner.path(`domains/${query}`));
  const link = (query: string) => `${api.url}${owner.path(`domains/?${query}`)}`;
  const namesIn = (results: { domain: string }[]) => results.map(({ domain }) => domain);

  it('are empty where there is nothing (PAGE-03)', async () => {
    const other = await api.owner();
    const { body } = await other.get(other.path('domains/'));
    expect(body).toEqual({ count: 0, next: null, previous: null, results: [] });
  });

  it('hold 100 by default, from the start', async () => {
    const { body } = await list('');
    expect(body).toMatchObject({ count: COUNT, next: null, previous: null });
    expect(namesIn(body.results)).toEqual(names);
    const many = await api.owner();
    await fill(many, 101);
    const first = (await many.get(many.path('domains/'))).body;
    expect(first.results).toHaveLength(100);
    expect(first.next).toBe(`${api.url}${many.path('domains/?limit=100&offset=100')}`);
    expect((await many.get(many.path('domains/?limit=1000'))).body.results).toHaveLength(101);
  });

  it.each([
    ['?limit=10', 'limit=10&offset=10', null],
    ['?limit=10&offset=10', 'limit=10&offset=20', 'limit=10&offset=0'],
    ['?limit=10&offset=20', null, 'limit=10&offset=10'],
    ['?limit=10&offset=15', null, 'limit=10&offset=5'],
    ['?limit=10&offset=14', 'limit=10&offset=24', 'limit=10&offset=4'],
    ['?limit=10&offset=3', 'limit=10&offset=13', 'limit=10&offset=0'],
    ['?offset=3', null, 'limit=100&offset=0'],
    ['?limit=25', null, null],
    ['?limit=24', 'limit=24&offset=24', null],
    ['?limit=1000&offset=24', null, 'limit=1000&offset=0'],
    ['?limit=1&offset=24', null, 'limit=1&offset=23'],
    ['?limit=1&offset=25', null, 'limit=1&offset=24'],
    ['?limit=10&offset=1000', null, 'limit=10&offset=990'],
    ['?limit=%2B5&offset=%2B6', 'limit=5&offset=11', 'limit=5&offset=1'],
    ['?limit=007&offset=-0', 'limit=7&offset=7', null],
    ['?limit=1001', null, null],
    ['?limit=99999999999999999999&offset=1', null, 'limit=1000&offset=0'],
    [`?limit=${'9'.repeat(30)}`, null, null],
  ])('%s: next %s, previous %s', async (query, next, previous) => {
    const { status, body } = await list(query);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      count: COUNT,
      next: next && link(next),
      previous: previous && link(previous),
    });
    const [, limit = 100] = /limit=(?:%2B)?(\d+)/.exec(query) ?? [];
    const [, offset = 0] = /offset=(?:%2B|-)?(\d+)/.exec(query) ?? [];
    expect(namesIn(body.results)).toEqual(names.slice(Number(offset), Number(offset) + Number(limit)));
  });

  it('are empty beyond the end, however far (PAGE-06)', async () => {
    for (const offset of ['25', '9007199254740991', '9223372036854775808', '9'.repeat(400)]) {
      const { status, body } = await list(`?limit=10&offset=${offset}`);
      expect([status, body.count, body.results, body.next]).toEqual([200, COUNT, [], null]);
      expect(body.previous).toMatch(/limit=10&offset=\d+$/);
    }
  });

  it.each([
    ['limit=0', 'limit', 'min_value', 'Ensure this value is greater than or equal to 1.'],
    ['limit=-1', 'limit', 'min_value', 'Ensure this value is greater than or equal to 1.'],
    ['offset=-1', 'offset', 'min_value', 'Ensure this value is greater than or equal to 0.'],
    ['limit=', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['offset=', 'offset', 'invalid_input', 'A valid integer is required.'],
    ['limit=ten', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=1.5', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=1e2', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=0x10', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=%201', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=NaN', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=Infinity', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=%D9%A1', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['limit=1&limit=2', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['offset=1&offset=1', 'offset', 'invalid_input', 'A valid integer is required.'],
    ['limit=%zz', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['offset=x&limit=x', 'limit', 'invalid_input', 'A valid integer is required.'],
  ])('are refused: %s', async (query, attr, code, detail) => {
    expect(await list(`?${query}`)).toEqual(refusal(400, code, detail, attr));
  });

  it('hold rows of every size in their order', async () => {
    const other = await api.owner();
    await api.rows(
      `INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                            deleted, last_calculated_at)
       SELECT $1, 'action ' || number, repeat('ü', number * 7919 % 10000), '{}', false, '', '[]', $2, false, $2
         FROM generate_series(100, 399) AS number`,
      [other.projectId, api.clock.now()],
    );
    const { body } = await other.get(other.projectPath('actions/?limit=1000'));
    expect(body.results.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 300 }, (_, index) => `action ${index + 100}`),
    );
  });

  it('show every row once to those who follow next, and again to those who follow previous', async () => {
    for (const limit of [1, 7, 24, 25]) {
      const forth: string[][] = [];
      let last = '';
      for (let next: string | null = link(`limit=${limit}`); next !== null; ) {
        const { body } = await owner.get(next.replace(api.url, ''));
        forth.push(namesIn(body.results));
        last = next;
        next = body.next;
      }
      expect(forth.flat()).toEqual(names);
      const back: string[][] = [];
      for (let previous: string | null = last; previous !== null; ) {
        const { body } = await owner.get(previous.replace(api.url, ''));
        back.unshift(namesIn(body.results));
        previous = body.previous;
      }
      expect(back).toEqual(forth);
    }
  });

  it('keep other query parameters, sorted by name', async () => {
    const { body } = await list('?z=1&limit=1&a=b%20c&offset=1&a=%26&x=a?b&e=&%C3%A4=%C3%B6');
    expect(body.next).toBe(link('a=b+c&a=%26&e=&limit=1&offset=2&x=a%3Fb&z=1&%C3%A4=%C3%B6'));
    expect(body.previous).toBe(link('a=b+c&a=%26&e=&limit=1&offset=0&x=a%3Fb&z=1&%C3%A4=%C3%B6'));
  });

  it('link as the caller came: @current stays @current', async () => {
    const { body } = await owner.get('/api/organizations/@current/domains/?limit=1');
    expect(body.next).toBe(`${api.url}/api/organizations/@current/domains/?limit=1&offset=1`);
  });

  it('link to the host that the caller named, and no proxy that is not trusted', async () => {
    const [answer] = await sendRaw(
      api.url,
      [
        `GET ${owner.path('domains/?limit=1')} HTTP/1.1`,
        'Host: hedgerow.internal:8000',
        'X-Forwarded-Host: evil.example.com',
        'X-Forwarded-Proto: https',
        `Authorization: Bearer ${owner.key}`,
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    );
    expect(JSON.parse(answer?.body ?? '').next).toBe(
      `http://hedgerow.internal:8000${owner.path('domains/?limit=1&offset=1')}`,
    );
  });

  it.each(['evil.example.com/path', 'a>; rel="x", <http://evil.example.com', 'a b', 'user@evil.example.com'])(
    'link to no host that is none: %s',
    async (host) => {
      const lines = [
        'GET /api/organizations/?limit=1 HTTP/1.1',
        `Host: ${host}`,
        `Authorization: Bearer ${owner.key}`,
      ];
      const [answer] = await sendRaw(api.url, [...lines, 'Connection: close', '', ''].join('\r\n'));
      expect(answer?.status).toBe(400);
      expect(JSON.parse(answer?.body ?? '')).toMatchObject({ detail: 'The Host header names no host.' });
    },
  );
});

describe('The links of pages', () => {
  let api: TestApi;
  afterEach(() => api?.stop());

  async function next(env: NodeJS.ProcessEnv, headers: Record<string, string>): Promise<string> {
    api = await TestApi.start(env);
    const owner = await api.owner();
    await fill(owner, 2);
    const { body } = await owner.get(owner.path('domains/?limit=1'), { headers });
    return body.next.replace(owner.path('domains/?limit=1&offset=1'), ' and the path');
  }

  const FORWARDED = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'api.example.com' };

  it('are those of a trusted proxy (TRUST_PROXY)', async () => {
    expect(await next({ TRUST_PROXY: '1' }, FORWARDED)).toBe('https://api.example.com and the path');
  });

  it('are those of a proxy at a trusted address', async () => {
    const headers = { ...FORWARDED, 'X-Forwarded-Host': 'api.example.com:8443, inner' };
    expect(await next({ TRUST_PROXY: 'loopback' }, headers)).toBe(
      'https://api.example.com:8443 and the path',
    );
  });

  it('are not those of a proxy at another address', async () => {
    expect(await next({ TRUST_PROXY: '10.0.0.0/8' }, FORWARDED)).toBe(`${api.url} and the path`);
  });

  it('are those of PUBLIC_URL before all others', async () => {
    const env = { PUBLIC_URL: 'https://hedgerow.example.com/base/', TRUST_PROXY: 'true' };
    expect(await next(env, FORWARDED)).toBe('https://hedgerow.example.com/base and the path');
  });
});
