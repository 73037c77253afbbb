import { gzipSync } from 'node:zlib';
import { PostHog } from 'posthog-node';
import { CaptureRoom } from '../../src/event/http/capture-room';
import { type Person, TestApi } from '../support/api';
import type { RequestOptions } from '../support/client';
import { refusal, statuses } from '../support/matchers';

const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const UUID = '0195b1f4-7c1c-4000-8000-0123456789ab';
const WHERE = 'You can find your project API key in the `api_token` of your project in Hedgerow.';
const TOKEN_MISSING = () => refusal(401, 'missing_api_key', `API key not provided. ${WHERE}`);
const TOKEN_UNKNOWN = () => refusal(401, 'invalid_api_key', `Project API key invalid. ${WHERE}`);
const MIB = 1024 * 1024;
const GZIP: Record<string, string> = { 'Content-Encoding': 'gzip' };

const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

interface EventRow {
  readonly uuid: string;
  readonly event: string;
  readonly distinct_id: string;
  readonly timestamp: Date;
  readonly created_at: Date;
  readonly properties: Record<string, unknown>;
}

describe('Capture', () => {
  let api: TestApi;
  let owner: Person;
  let token: string;

  const tokenOf = async (person: Person): Promise<string> =>
    (await person.get(person.projectPath(''))).body.api_token;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
    token = await tokenOf(owner);
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api?.stop());

  const capture = (body: unknown, path = '/batch/', options?: RequestOptions) =>
    api.anyone().post(path, body, options);
  const batch = (events: unknown[], more: object = {}) => capture({ api_key: token, batch: events, ...more });
  const raw = (bytes: string | Buffer, path = '/batch/', headers: Record<string, string> = {}) =>
    api.anyone().post(path, undefined, { raw: bytes, headers });

  /** In the order of their names. */
  const kept = (projectId = owner.projectId) =>
    api.rows<EventRow>('SELECT * FROM events WHERE project_id = $1 ORDER BY event, uuid', [projectId]);
  const names = async (projectId?: number) => (await kept(projectId)).map(({ event }) => event);
  const only = async (): Promise<EventRow> => {
    const [first, ...others] = await kept();
    if (!first || others.length > 0) throw new Error('There is not exactly one event');
    return first;
  };

  describe('from posthog-node', () => {
    it.each([false, true])(
      'takes events, identifies and aliases (compression off: %s)',
      async (disableCompression) => {
        const client = new PostHog(token, { host: api.url, flushAt: 1000, disableCompression });
        client.capture({
          distinctId: 'anonymous-1',
          event: 'page seen',
          properties: { path: '/"ü"', n: 1.5 },
        });
        client.capture({ distinctId: 'anonymous-1', event: 'with a uuid', uuid: UUID });
        client.identify({
          distinctId: 'user-1',
          properties: {
            $anon_distinct_id: 'anonymous-1',
            $set: { plan: 'team' },
            $set_once: { source: 'ad' },
          },
        });
        client.alias({ distinctId: 'user-1', alias: 'user-one' });
        await client.flush();
        await client.shutdown();

        const events = await kept();
        expect(events.map(({ event, distinct_id }) => [event, distinct_id])).toEqual([
          ['$create_alias', 'user-1'],
          ['$identify', 'user-1'],
          ['page seen', 'anonymous-1'],
          ['with a uuid', 'anonymous-1'],
        ]);
        expect(events[2]?.properties).toMatchObject({ path: '/"ü"', n: 1.5, $lib: 'posthog-node' });
        expect(events[3]?.uuid).toBe(UUID);
        const people = await api.rows(
          `SELECT p.properties, array_agg(d.distinct_id ORDER BY d.distinct_id) AS ids
           FROM persons p JOIN person_distinct_ids d ON d.person_id = p.id AND d.project_id = p.project_id
          WHERE p.project_id = $1 GROUP BY p.id, p.properties::text, p.project_id`,
          [owner.projectId],
        );
        expect(people).toEqual([
          { properties: { plan: 'team', source: 'ad' }, ids: ['anonymous-1', 'user-1', 'user-one'] },
        ]);
      },
    );

    it('is told of a wrong token', async () => {
      const client = new PostHog('phc_wrong', { host: api.url, flushAt: 1000, fetchRetryCount: 0 });
      const errors: unknown[] = [];
      client.on('error', (error: unknown) => errors.push(error));
      client.capture({ distinctId: 'a', event: 'lost' });
      await client.flush().catch((error: unknown) => errors.push(error));
      await client.shutdown();
      expect(errors).not.toEqual([]);
      expect(await names()).toEqual([]);
    });
  });

  describe('as a request', () => {
    it('is answered under every path, with and without the slash, and tells the project', async () => {
      expect((await owner.get(owner.projectPath(''))).body.ingested_event).toBe(false);
      for (const path of ['/batch', '/capture', '/e', '/i/v0/e', '/I/V0/E']) {
        for (const slash of ['', '/']) {
          const event = { event: `${path}${slash}`, distinct_id: 'a' };
          const answer = await capture({ api_key: token, ...event }, `${path}${slash}`);
          expect(answer).toMatchObject({ status: 200, body: { status: 'Ok', accepted: 1, rejected: [] } });
        }
      }
      expect((await names()).sort()).toEqual(
        [
          '/I/V0/E',
          '/I/V0/E/',
          '/batch',
          '/batch/',
          '/capture',
          '/capture/',
          '/e',
          '/e/',
          '/i/v0/e',
          '/i/v0/e/',
        ].sort(),
      );
      expect((await owner.get(owner.projectPath(''))).body.ingested_event).toBe(true);
    });

    it.each([
      ['application/json', 'application/json'],
      ['with a charset', 'application/json; charset=utf-8'],
      ['text/plain', 'text/plain;charset=UTF-8'],
      ['none', ''],
      ['of bytes', 'application/octet-stream'],
    ])('may have the media type %s', async (_, type) => {
      const bytes = JSON.stringify({ token, event: 'seen', distinct_id: 'ü' });
      expect(await raw(Buffer.from(bytes), '/e/', { 'Content-Type': type })).toMatchObject({ status: 200 });
      expect(await only()).toMatchObject({ event: 'seen', distinct_id: 'ü' });
    });

    it.each([
      ['Content-Encoding', '/batch/', { 'Content-Encoding': 'gzip' }],
      ['?compression=gzip', '/batch/?compression=gzip', {}],
      ['?compression=gzip-js', '/e/?compression=gzip-js&ver=1.2&_=1', { 'Content-Type': 'text/plain' }],
      ['its first bytes', '/i/v0/e/', { 'Content-Type': 'text/plain' }],
    ])('may be gzipped, told by %s', async (_, path, headers) => {
      const body = { api_key: token, batch: [{ event: 'zipped', distinct_id: 'a' }] };
      expect(await raw(gzipSync(JSON.stringify(body)), path, headers)).toMatchObject({ status: 200 });
      expect(await names()).toEqual(['zipped']);
    });

    it.each([
      ['JSON', (text: string) => text],
      ['base64', (text: string) => Buffer.from(text).toString('base64')],
    ])('may be a form with %s', async (_, encode) => {
      const json = JSON.stringify({
        api_key: token,
        event: 'form',
        distinct_id: 'a',
        properties: { q: '>>>???' },
      });
      const form = `data=${encodeURIComponent(encode(json))}`;
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expect(await raw(form, '/e/', headers)).toMatchObject({ status: 200 });
      expect(await only()).toMatchObject({ properties: { q: '>>>???' } });
    });

    it.each([
      ['api_key', (key: string, event: object) => ({ api_key: key, ...event })],
      ['token', (key: string, event: object) => ({ token: key, ...event })],
      ['a property', (key: string, event: object) => ({ ...event, properties: { token: key } })],
      ['a batch', (key: string, event: object) => ({ token: key, batch: [event] })],
      ['an event of a batch', (key: string, event: object) => ({ batch: [{ ...event, api_key: key }] })],
      ['a property in a list', (key: string, event: object) => [{ ...event, properties: { token: key } }]],
    ])('may have its token as %s', async (_, body) => {
      const event = { event: 'seen', distinct_id: 'a' };
      expect(await capture(body('phc_none', event))).toEqual(TOKEN_UNKNOWN());
      expect(await capture(body(token, event))).toMatchObject({ status: 200, body: { accepted: 1 } });
      expect(await names()).toEqual(['seen']);
    });

    it('needs a token, that of a project', async () => {
      const event = { event: 'seen', distinct_id: 'a' };
      for (const body of [
        event,
        [event],
        [],
        { batch: [event] },
        { api_key: '', ...event },
        { api_key: 7 },
        {},
        null,
      ]) {
        expect(await capture(body)).toEqual(TOKEN_MISSING());
      }
      for (const key of [
        owner.key,
        'phc_',
        `${token}x`,
        ` ${token}`,
        'a\u0000b',
        'ü',
        '\ud800',
        'x'.repeat(9999),
      ]) {
        expect(await capture({ api_key: key, batch: [event] })).toEqual(TOKEN_UNKNOWN());
      }
      const answer = await api
        .anyone()
        .post('/batch/', { batch: [event] }, { headers: { Authorization: token } });
      expect(answer).toEqual(TOKEN_MISSING());
    });

    it('does not open what is deleted', async () => {
      await owner.post('/api/projects/', { name: 'Another' });
      expect(await owner.delete(owner.projectPath(''))).toMatchObject({ status: 204 });
      expect(await batch([{ event: 'late', distinct_id: 'a' }])).toEqual(TOKEN_UNKNOWN());
    });

    it('reaches the project of its token alone', async () => {
      const other = await api.owner();
      const otherToken = await tokenOf(other);
      const event = { event: 'mine', distinct_id: 'a', uuid: UUID };
      await batch([event, { event: 'also', distinct_id: 'a', api_key: otherToken, token: otherToken }]);
      await capture({ api_key: otherToken, batch: [{ ...event, event: 'theirs' }] });
      expect(await names()).toEqual(['also', 'mine']);
      expect(await names(other.projectId)).toEqual(['theirs']);

      const mixed = await capture([
        { event: 'a', distinct_id: 'a', properties: { token } },
        { event: 'b', distinct_id: 'a', properties: { token: otherToken } },
      ]);
      expect(mixed.body).toMatchObject({ accepted: 1, rejected: [{ index: 1, attr: 'token' }] });
      expect(await names(other.projectId)).toEqual(['theirs']);
    });

    it('that cannot be read is told why', async () => {
      for (const bytes of [
        '',
        ' ',
        '{"api_key": ',
        'event=x',
        '<xml/>',
        gzipSync('nonsense'),
        Buffer.from([0xff, 0xfe]),
      ]) {
        const answer = await raw(bytes);
        expect(answer).toEqual(refusal(400, 'parse_error', expect.stringMatching(/^JSON parse error - /)));
      }
      const cut = gzipSync(JSON.stringify({ api_key: token })).subarray(0, 20);
      for (const headers of [{}, GZIP]) {
        const answer = await raw(cut, '/e/', headers);
        expect(answer).toEqual(
          refusal(400, 'parse_error', expect.stringMatching(/^The body could not be read: /)),
        );
      }
      expect(await raw('{}', '/e/', { 'Content-Encoding': 'compress' })).toMatchObject({ status: 415 });
    });

    it('may be 20 MiB large, and no larger', async () => {
      const body = (length: number) => {
        const [start, end] = [
          `{"api_key":"${token}","batch":[{"event":"large","distinct_id":"a","properties":{"a":"`,
          '"}}]}',
        ];
        return `${start}${'x'.repeat(length - start.length - end.length)}${end}`;
      };
      const tooLarge = refusal(413, 'request_too_large', 'The request body is larger than 20 MiB.');
      expect(await raw(body(20 * MIB + 1))).toEqual(tooLarge);
      expect(await raw(gzipSync(body(20 * MIB + 1)))).toEqual(tooLarge);
      expect(await raw(gzipSync(body(20 * MIB + 1)), '/batch/', { 'Content-Encoding': 'gzip' })).toEqual(
        tooLarge,
      );
      expect(await names()).toEqual([]);
      expect(await raw(body(20 * MIB))).toMatchObject({ status: 200 });
      expect(await raw(gzipSync(body(20 * MIB)))).toMatchObject({ status: 200 });
      expect(await names()).toEqual(['large', 'large']);
    });

    it('may hold half a million values, and no more, however small', async () => {
      const tooMany = refusal(413, 'request_too_large', 'The request body is larger than 500000 values.');
      const body = (values: string) =>
        `{"api_key":"${token}","event":"many","distinct_id":"a","properties":${values}}`;
      const list = (length: number, value: string) => `{"a":[${Array(length).fill(value).join(',')}]}`;
      expect(await raw(body(list(7e6, '{}').slice(0, 19 * MIB)))).toEqual(tooMany);
      expect(await raw(gzipSync(body(list(500_000, '0'))))).toEqual(tooMany);
      expect(await raw(body(list(250_000, '{"322":"\\u0000"}')))).toEqual(tooMany);
      expect(await names()).toEqual([]);
      expect(await raw(body(list(200_000, '{"322":"\\u0000"}')))).toMatchObject({ status: 200 });
      expect(await raw(body(`{"a":"${'[{,\\"'.repeat(600_000)}"}`))).toMatchObject({ status: 200 });
      expect(await names()).toEqual(['many', 'many']);
    });

    it('that inflates to gigabytes is not inflated', async () => {
      // 256 MiB in 256 KiB, as often as memory would have to hold it.
      const bomb = gzipSync(Buffer.alloc(256 * MIB, ' '), { level: 9 });
      const before = process.memoryUsage.rss();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => raw(bomb, '/batch/', index % 2 === 0 ? GZIP : {})),
      );
      expect(statuses(answers)).toEqual({ 413: 8 });
      expect(process.memoryUsage.rss() - before).toBeLessThan(600 * MIB);
    });

    it('is told to come again while there is no room for it', async () => {
      class SmallRoom extends CaptureRoom {
        protected override readonly most = 300_000;
      }
      const small = await api.beside({}, [[CaptureRoom, new SmallRoom()]]);
      const event = (size: number) =>
        JSON.stringify({ api_key: token, event: 'x', distinct_id: 'a', properties: { a: 'x'.repeat(size) } });
      const send = (bytes: string | Buffer) => small.anyone().post('/batch/', undefined, { raw: bytes });
      const full = refusal(503, 'service_unavailable', 'Too many events are being read.');
      const values = (count: number) => event(1).replace('"a":', `"many":[${Array(count).fill(0)}],"a":`);
      for (const tooMuch of [
        event(300_000),
        gzipSync(event(300_000)),
        gzipSync(gzipSync(event(300_000))),
        values(5_000),
      ]) {
        const answer = await send(tooMuch);
        expect(answer).toEqual(full);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      for (const fitting of [event(250_000), gzipSync(event(250_000)), gzipSync(gzipSync(event(250_000)))])
        expect((await send(fitting)).status).toBe(200);
      // Both are in the room while the first is being kept.
      const answers = await Promise.all(Array.from({ length: 8 }, () => send(event(140_000))));
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
      expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
      expect((await send(event(250_000))).status).toBe(200);
      await small.stop();
    });

    it('comes from web pages of any origin, also where the rest of the API is for some', async () => {
      const headers = { Origin: 'https://shop.example.com' };
      const asked = await api.anyone().request('OPTIONS', '/e/?compression=gzip-js', { headers });
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBe('*');
      expect(asked.headers.get('access-control-allow-headers')).toBe('*');
      const answer = await capture({ api_key: token, event: 'page', distinct_id: 'a' }, '/e', { headers });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect((await owner.get(owner.path(''))).headers.get('access-control-allow-origin')).toBeNull();

      const choosy = await TestApi.start({ CORS_ORIGINS: 'https://admin.example.com' });
      try {
        const allowed = async (path: string) => {
          const preflight = { ...headers, 'Access-Control-Request-Method': 'POST' };
          const answer = await choosy.anyone().request('OPTIONS', path, { headers: preflight });
          return answer.headers.get('access-control-allow-origin');
        };
        expect([await allowed('/batch/'), await allowed('/api/organizations/')]).toEqual(['*', null]);
      } finally {
        await choosy.stop();
      }
    });
  });

  describe('of events', () => {
    it('keeps the good ones and tells the bad ones', async () => {
      const answer = await batch([
        { event: 'first', distinct_id: 'a' },
        { distinct_id: 'a' },
        { event: 7, distinct_id: 'a' },
        { event: ' ', distinct_id: 'a', uuid: UUID },
        { event: 'x'.repeat(201), distinct_id: 'a' },
        { event: 'no id' },
        { event: 'no id', distinct_id: '' },
        { event: 'no id', distinct_id: true },
        { event: 'no id', distinct_id: 'x'.repeat(201) },
        { event: 'no uuid', distinct_id: 'a', uuid: 'not-a-uuid' },
        { event: 'no time', distinct_id: 'a', timestamp: 'yesterday' },
        { event: 'no time', distinct_id: 'a', timestamp: 1700000000 },
        { event: 'no time', distinct_id: 'a', offset: 1e20 },
        { event: 'no object', distinct_id: 'a', properties: ['a'] },
        'text',
        null,
        { event: 'deep', distinct_id: 'a', properties: nested(100) },
        { event: 'x'.repeat(200), distinct_id: '\u{1F994}'.repeat(200) },
        { event: 'last', distinct_id: 42, properties: null, timestamp: null, uuid: null },
      ]);
      expect(answer.status).toBe(200);
      expect(answer.body.accepted).toBe(3);
      const told = answer.body.rejected.map((item: Record<string, unknown>) => [
        item.index,
        item.attr,
        item.code,
      ]);
      expect(told).toEqual([
        [1, 'event', 'required'],
        [2, 'event', 'invalid_input'],
        [3, 'event', 'blank'],
        [4, 'event', 'max_length'],
        [5, 'distinct_id', 'required'],
        [6, 'distinct_id', 'blank'],
        [7, 'distinct_id', 'invalid_input'],
        [8, 'distinct_id', 'max_length'],
        [9, 'uuid', 'invalid_input'],
        [10, 'timestamp', 'invalid_input'],
        [11, 'timestamp', 'invalid_input'],
        [12, 'timestamp', 'invalid_input'],
        [13, 'properties', 'not_a_dict'],
        [14, null, 'invalid_input'],
        [15, null, 'invalid_input'],
        [16, 'properties', 'invalid_input'],
      ]);
      expect(answer.body.rejected[2]).toEqual({
        index: 3,
        uuid: UUID,
        attr: 'event',
        code: 'blank',
        detail: 'This field may not be blank.',
      });
      const events = await kept();
      expect(events.map(({ event }) => event)).toEqual(['first', 'last', 'x'.repeat(200)]);
      expect(events[1]).toMatchObject({
        distinct_id: '42',
        properties: {},
        uuid: expect.stringMatching(UUID_V7),
      });
    });

    it('takes what is nested as deep as people nest, and nothing deeper', async () => {
      const properties = nested(99);
      expect(await batch([{ event: 'deep', distinct_id: 'a', properties }])).toMatchObject({ status: 200 });
      expect((await only()).properties).toEqual(properties);
      const deepest = `${'['.repeat(4e5)}${']'.repeat(4e5)}`;
      expect(
        await raw(`{"api_key":"${token}","event":"a","distinct_id":"a","properties":{"a":${deepest}}}`),
      ).toEqual(refusal(400, 'invalid_input', 'This value is nested too deeply.', 'properties'));
      expect(await raw(deepest)).toEqual(TOKEN_MISSING());
    });

    it('tells of the first hundred bad ones', async () => {
      const answer = await batch([
        ...Array.from({ length: 150 }, () => ({})),
        { event: 'good', distinct_id: 'a' },
      ]);
      expect(answer.body.accepted).toBe(1);
      expect(answer.body.rejected).toHaveLength(100);
    });

    it('takes numbers as JSON writes them, and none that nobody can hold', async () => {
      const with_ = (fields: string) =>
        raw(`{"api_key":"${token}","batch":[{"event":"n","distinct_id":"a",${fields}}]}`);
      const invalid = (attr: string, detail: string) =>
        refusal(400, 'invalid_input', detail, `batch__0__${attr}`);
      for (const number of ['1e400', '-1e400', '1e309'])
        expect(await with_(`"distinct_id":${number}`)).toEqual(invalid('distinct_id', 'Not a valid string.'));
      for (const number of ['NaN', 'Infinity', '+1', '01', '.5', '0x1'])
        expect(await with_(`"distinct_id":${number}`)).toMatchObject({
          status: 400,
          body: { code: 'parse_error' },
        });
      expect(await with_('"offset":1e400')).toMatchObject({ status: 400 });
      expect(await with_('"distinct_id":"NaN"')).toMatchObject({ status: 200 });
      for (const number of ['-0', '1e21', '0.5', '1E2', '5e-324', '1.7976931348623157e308'])
        expect(await with_(`"distinct_id":${number},"properties":{"n":${number},"o":1e400}`)).toMatchObject({
          status: 200,
        });
      const ids = (await kept()).map(({ distinct_id }) => distinct_id).sort();
      expect(ids).toEqual(['0', '0.5', '1.7976931348623157e+308', '100', '1e+21', '5e-324', 'NaN'].sort());
      expect(
        (await kept()).every(({ properties }) => properties.o === undefined || properties.o === null),
      ).toBe(true);
      for (const field of [
        'timestamp',
        'sent_at',
        'uuid',
        'event',
        'offset',
        '$set',
        'properties',
        'api_key',
      ])
        for (const number of ['1e400', '-0', '1e21', '-1e-400', '99999999999999999999', '1e15']) {
          const { status } = await with_(`"${field}":${number}`);
          expect([field, number, [200, 400].includes(status)]).toEqual([field, number, true]);
          const around = await raw(
            `{"api_key":"${token}","${field}":${number},"batch":[{"event":"n","distinct_id":"a"}]}`,
          );
          expect([field, number, [200, 400, 401].includes(around.status)]).toEqual([field, number, true]);
        }
    });

    it('is refused where none can be kept', async () => {
      const required = (attr: string) => refusal(400, 'required', 'This field is required.', attr);
      expect(await batch([{ distinct_id: 'a' }, {}])).toEqual(required('batch__0__event'));
      expect(await capture({ api_key: token, event: 'x' })).toEqual(required('distinct_id'));
      expect(await capture([{ token, event: 'x' }])).toEqual(required('0__distinct_id'));
      expect(await batch([])).toEqual(refusal(400, 'empty', 'This list may not be empty.', 'batch'));
      const many = Array.from({ length: 10_001 }, () => 0);
      expect(await batch(many)).toEqual(
        refusal(400, 'max_length', 'Ensure this field has no more than 10000 elements.', 'batch'),
      );
      expect(await names()).toEqual([]);
    });

    it('takes ten thousand at once', async () => {
      const events = Array.from({ length: 10_000 }, (_, index) => ({
        event: 'one of many',
        distinct_id: index % 700,
      }));
      expect((await batch(events)).body).toMatchObject({ accepted: 10_000 });
      const [row] = await api.rows<{ count: number }>(
        'SELECT count(*)::int AS count FROM events WHERE project_id = $1',
        [owner.projectId],
      );
      expect(row?.count).toBe(10_000);
    });

    it('keeps text as it is, but for what PostgreSQL cannot store', async () => {
      const properties = {
        'ключ "quoted"': 'tab\t, line\n, back\\slash, quote", \u0001, \u2028, \u{1F994}',
        list: [1, 1.5, -0.1, 1e21, true, null, { a: [] }],
        big: 9007199254740991,
        ['__proto__']: { polluted: true },
        toJSON: 'not a function',
      };
      const json = JSON.stringify({
        api_key: token,
        batch: [{ event: "it's", distinct_id: `"'\\,{}`, properties }],
      });
      await raw(json.replace('"toJSON"', '"__proto__":{"polluted":true},"toJSON"'));
      const event = await only();
      expect(event).toMatchObject({ event: "it's", distinct_id: `"'\\,{}` });
      expect(JSON.stringify(event.properties)).toContain('"__proto__":{"polluted":true}');
      expect({ ...event.properties }).toMatchObject({ list: properties.list, big: 9007199254740991 });
      expect(event.properties['ключ "quoted"']).toBe(properties['ключ "quoted"']);
    });

    it('replaces NUL and half pairs of surrogates by U+FFFD', async () => {
      const text =
        `{"api_key":"${token}","batch":[{"event":"a\\u0000b","distinct_id":"\\ud800x","properties":` +
        `{"k\\u0000":["\\udc00","\\ud83e\\udd94","\\\\u0000","\\uD800\\uD83E\\uDD94\\uDD94"],"$set":{"n\\u0000":"\\u0000"}}}]}`;
      expect(await raw(text)).toMatchObject({ status: 200, body: { accepted: 1 } });
      expect(await only()).toMatchObject({
        event: 'a\ufffdb',
        distinct_id: '\ufffdx',
        properties: { 'k\ufffd': ['\ufffd', '\u{1F994}', '\\u0000', '\ufffd\u{1F994}\ufffd'] },
      });
      const people = await api.rows('SELECT properties FROM persons WHERE project_id = $1', [
        owner.projectId,
      ]);
      expect(people).toEqual([{ properties: { 'n\ufffd': '\ufffd' } }]);
    });

    it('takes properties of a megabyte', async () => {
      const properties = {
        text: 'ü"\\'.repeat(300_000),
        list: Array.from({ length: 50_000 }, (_, index) => index),
      };
      expect(await batch([{ event: 'large', distinct_id: 'a', properties }])).toMatchObject({ status: 200 });
      expect((await only()).properties).toEqual(properties);
    });

    it('keeps an event once, however often it is sent', async () => {
      const event = { event: 'bought', distinct_id: 'a', uuid: UUID, properties: { first: true } };
      expect((await batch([event, event])).body).toEqual({ status: 'Ok', accepted: 2, rejected: [] });
      const again = { ...event, uuid: UUID.toUpperCase(), event: 'changed', properties: {} };
      expect((await batch([again, { event: 'new', distinct_id: 'a' }])).body).toMatchObject({ accepted: 2 });
      expect(await names()).toEqual(['bought', 'new']);

      const events = Array.from({ length: 50 }, (_, index) => ({
        event: `many ${index}`,
        distinct_id: `person ${index}`,
        uuid: `0195b1f4-7c1c-4000-8000-${String(index).padStart(12, '0')}`,
        properties: { $set: { index } },
      }));
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => batch(index % 2 ? events : [...events].reverse())),
      );
      expect(statuses(answers)).toEqual({ 200: 20 });
      expect(await kept()).toHaveLength(52);
    });

    it('corrects the clock of the sender', async () => {
      const now = Date.parse('2030-01-01T12:00:00Z');
      jest.spyOn(api.clock, 'now').mockReturnValue(new Date(now));
      try {
        const at = { event: 'a', distinct_id: 'a', timestamp: '2029-06-01T10:00:00.250Z' };
        const sentAt = { sent_at: '2029-06-01T10:00:30Z' };
        await batch([{ ...at, event: '1 as it is' }]);
        await batch([{ ...at, event: '2 sent_at' }], sentAt);
        await batch([{ ...at, event: '3 offset', offset: 5000 }], sentAt);
        await batch([{ event: '4 offset alone', distinct_id: 'a', offset: 5000 }]);
        await batch([{ event: '5 none', distinct_id: 'a' }], sentAt);
        await batch([{ ...at, event: '6 historical' }], { ...sentAt, historical_migration: true });
        await batch([{ ...at, event: '7 zone', timestamp: '2029-06-01T12:00:00.25+02:00' }]);
        await batch([{ ...at, event: '8 senseless' }], { sent_at: 'now' });
      } finally {
        jest.restoreAllMocks();
      }
      const events = await kept();
      expect(events.map(({ event, timestamp }) => [event, timestamp.toISOString()])).toEqual([
        ['1 as it is', '2029-06-01T10:00:00.250Z'],
        ['2 sent_at', '2030-01-01T11:59:30.250Z'],
        ['3 offset', '2030-01-01T11:59:55.000Z'],
        ['4 offset alone', '2030-01-01T11:59:55.000Z'],
        ['5 none', '2030-01-01T12:00:00.000Z'],
        ['6 historical', '2029-06-01T10:00:00.250Z'],
        ['7 zone', '2029-06-01T10:00:00.250Z'],
        ['8 senseless', '2029-06-01T10:00:00.250Z'],
      ]);
      expect(new Set(events.map(({ created_at }) => created_at.getTime()))).toEqual(new Set([now]));
    });
  });
});
