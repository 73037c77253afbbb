import { gzipSync } from 'node:zlib';
import { PluginsAccess } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import type { RequestOptions } from '../support/client';
import { refusal } from '../support/matchers';
import { sendRaw } from '../support/raw-http';

const PATH = '/api/organizations/';
const MIB = 1_048_576;
const REQUIRED = refusal(400, 'required', 'This field is required.', 'name');
const TOO_LARGE = refusal(413, 'request_too_large', 'The request body is larger than 1 MiB.');
const unsupported = (type: string) =>
  refusal(415, 'unsupported_media_type', `Unsupported media type "${type}" in request.`);
const malformed = (detail: RegExp) => refusal(400, 'parse_error', expect.stringMatching(detail));

describe('Bodies (D9)', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start({ DNS_SERVERS: '127.0.0.1:1' });
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  const send = (raw: string | Buffer, headers: Record<string, string> = {}, method = 'POST') =>
    owner.request(method, method === 'POST' ? PATH : owner.path(''), { raw, headers } as RequestOptions);
  /** A body of exactly this many bytes. */
  const sized = (bytes: number) => {
    const rest = JSON.stringify({ name: 'Sized', unknown: '' });
    return rest.replace('""', `"${'x'.repeat(bytes - rest.length)}"`);
  };
  const raw = (lines: string[], body: string | Buffer = '') =>
    sendRaw(
      api.url,
      Buffer.concat([
        Buffer.from(`${[...lines, 'Host: x', `Authorization: Bearer ${owner.key}`].join('\r\n')}\r\n\r\n`),
        Buffer.from(body),
      ]),
    );

  describe('that are not JSON', () => {
    it.each(['{', '{"name": ', "{'name': 'x'}", 'name=x', '{"name": "x"}}', ' ', 'undefined', '[1,]'])(
      'are malformed: %j (ERR-14)',
      async (body) => {
        for (const method of ['POST', 'PUT', 'PATCH']) {
          expect(await send(body, {}, method)).toEqual(malformed(/^JSON parse error - ./));
        }
      },
    );

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application',
    ])('have another content type: %s (ERR-16)', async (type) => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        expect(await send('{"name": "x"}', { 'Content-Type': type }, method)).toEqual(unsupported(type));
      }
    });

    it('have no content type', async () => {
      const body = Buffer.from('{"name": "x"}');
      const answer = await fetch(api.url + PATH, {
        method: 'POST',
        headers: { Authorization: `Bearer ${owner.key}` },
        body,
      });
      expect({ status: answer.status, body: await answer.json() }).toEqual(unsupported(''));
    });

    it('have another character set', async () => {
      expect(await send('{"name": "x"}', { 'Content-Type': 'application/json; charset=latin1' })).toEqual(
        unsupported('application/json; charset=latin1'),
      );
    });
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON;charset="UTF-8"'])(
    'may come as %s',
    async (type) => {
      const answer = await send('{"name": "Zoë 🦔"}', { 'Content-Type': type });
      expect([answer.status, answer.body.name]).toEqual([201, 'Zoë 🦔']);
    },
  );

  it('may be missing, with and without a content type', async () => {
    const json = { 'Content-Type': 'application/json' };
    for (const headers of [{}, json]) {
      expect(await owner.post(PATH, undefined, { headers })).toEqual(REQUIRED);
      expect((await owner.patch(owner.path(''), undefined, { headers })).status).toBe(200);
      expect((await owner.get(owner.path(''), { headers })).status).toBe(200);
      const { body } = await owner.post(PATH, { name: 'To be deleted' });
      expect((await owner.delete(`${PATH}${body.id}/`, { headers })).status).toBe(204);
    }
  });

  it('may come in chunks', async () => {
    const chunks = ['f', '{"name": "Chunk', '4', 's"} ', '0', '', ''].join('\r\n');
    const [answer] = await raw(
      [
        `POST ${PATH} HTTP/1.1`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
        'Connection: close',
      ],
      chunks,
    );
    expect([answer?.status, answer?.body]).toEqual([201, expect.stringContaining('"name":"Chunks"')]);
  });

  it('are not read on GET and DELETE, and do not disturb what follows on the connection', async () => {
    const body = '{"malformed';
    const get = (close: boolean) =>
      [
        `GET ${owner.path('')} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${owner.key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        `Connection: ${close ? 'close' : 'keep-alive'}`,
        '',
        body,
      ].join('\r\n');
    const answers = await sendRaw(api.url, get(false) + get(true));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  describe('that are large', () => {
    it('pass up to 1 MiB', async () => {
      expect((await send(sized(MIB))).status).toBe(201);
    });

    it('are refused above it, wherever they go', async () => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        expect(await send(sized(MIB + 1), {}, method)).toEqual(TOO_LARGE);
      }
      expect(await send(sized(8 * MIB))).toEqual(TOO_LARGE);
    });

    it('are refused without a length as well', async () => {
      const part = 'x'.repeat(65_536);
      const chunks = `${`10000\r\n${part}\r\n`.repeat(20)}0\r\n\r\n`;
      const [answer] = await raw(
        [
          `POST ${PATH} HTTP/1.1`,
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
          'Connection: close',
        ],
        chunks,
      );
      expect({ status: answer?.status, body: JSON.parse(answer?.body ?? '') }).toEqual(TOO_LARGE);
    });

    it('do not disturb what follows on the connection', async () => {
      const body = sized(3 * MIB);
      const head = (lines: string[]) =>
        [...lines, 'Host: x', `Authorization: Bearer ${owner.key}`, '', ''].join('\r\n');
      const answers = await sendRaw(
        api.url,
        head([`POST ${PATH} HTTP/1.1`, 'Content-Type: application/json', `Content-Length: ${body.length}`]) +
          body +
          head([`GET ${owner.path('')} HTTP/1.1`, 'Connection: close']),
      );
      expect(answers.map(({ status }) => status)).toEqual([413, 200]);
    });
  });

  describe('that are compressed', () => {
    const gzip = { 'Content-Encoding': 'gzip' };

    it('are unpacked', async () => {
      const answer = await send(gzipSync('{"name": "Packed"}'), gzip);
      expect([answer.status, answer.body.name]).toEqual([201, 'Packed']);
    });

    it('are malformed when they are something else, or cut off', async () => {
      const packed = gzipSync(JSON.stringify({ name: 'x'.repeat(50) }));
      for (const broken of [
        Buffer.from('{"name": "x"}'),
        packed.subarray(0, -9),
        Buffer.from([0x1f, 0x8b]),
      ]) {
        expect(await send(broken, gzip)).toEqual(malformed(/^The body could not be read: ./));
      }
    });

    it('are too large when they unpack to more than 1 MiB', async () => {
      const bomb = gzipSync(sized(64 * MIB));
      expect(bomb.length).toBeLessThan(MIB);
      expect(await send(bomb, gzip)).toEqual(TOO_LARGE);
    });

    it('are neither unpacked nor parsed for a stranger', async () => {
      const parse = jest.spyOn(JSON, 'parse');
      const isParsed = () => parse.mock.calls.some(([text]) => String(text).length === MIB);
      const body = gzipSync(sized(MIB));
      const stranger = await api.anyone().request('POST', PATH, { raw: body, headers: gzip });
      expect([stranger.status, isParsed()]).toEqual([401, false]);
      expect([(await send(body, gzip)).status, isParsed()]).toEqual([201, true]);
      parse.mockRestore();
    });

    it('are not unpacked when the way is unknown', async () => {
      expect(await send('x', { 'Content-Encoding': 'compress' })).toEqual(
        unsupported('application/json, encoded as compress'),
      );
    });
  });

  describe('where an object is expected (ERR-17)', () => {
    it.each([
      ['[]', 'list'],
      ['[{"name": "x"}]', 'list'],
      ['"name"', 'str'],
      ['""', 'str'],
      ['7', 'int'],
      ['0', 'int'],
      ['1.5', 'float'],
      ['true', 'bool'],
      ['false', 'bool'],
      ['null', 'null'],
    ])('are refused: %s', async (body, type) => {
      for (const method of ['POST', 'PUT', 'PATCH']) {
        expect(await send(body, {}, method)).toEqual(
          refusal(400, 'invalid_input', `Invalid data. Expected a dictionary, but got ${type}.`),
        );
      }
    });
  });

  describe('with strange texts', () => {
    it.each([
      ['{"name": "a\\u0000b"}', 'null_characters_not_allowed', 'Null characters are not allowed.'],
      [
        '{"name": "a\\ud800b"}',
        'surrogate_characters_not_allowed',
        'Surrogate characters must come in pairs.',
      ],
      [
        '{"name": "\\udc00\\ud800"}',
        'surrogate_characters_not_allowed',
        'Surrogate characters must come in pairs.',
      ],
    ])('are refused: %s', async (body, code, detail) => {
      expect(await send(body)).toEqual(refusal(400, code, detail, 'name'));
      expect(await send(body, {}, 'PATCH')).toEqual(refusal(400, code, detail, 'name'));
    });

    it('are refused as JSON when they hold a control character', async () => {
      expect(await send('{"name": "a\u0000b"}')).toEqual(malformed(/^JSON parse error - ./));
    });

    it('keep what is in an unknown field to themselves', async () => {
      const body = '{"name": "Plain", "\\u0000": "\\ud800", "x\\udc00": {"y": "\\u0000"}}';
      expect((await send(body)).status).toBe(201);
    });
  });

  describe('that nest deeply', () => {
    const DEEP = 100_000;
    const lists = '['.repeat(DEEP) + ']'.repeat(DEEP);
    const objects = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;

    it('are refused in a known field', async () => {
      for (const deep of [lists, objects]) {
        const answer = await send(`{"name": ${deep}}`);
        expect(answer).toEqual(
          refusal(400, 'invalid_input', 'This value is nested too deeply.', answer.body.attr),
        );
        expect(answer.body.attr).toMatch(/^name(__\w+)*$/);
      }
    });

    it('are ignored in an unknown one', async () => {
      for (const deep of [lists, objects]) {
        expect((await send(`{"name": "Deep", "unknown": ${deep}}`)).status).toBe(201);
      }
    });

    it('are no object when they are a list', async () => {
      expect((await send(lists)).body.detail).toBe('Invalid data. Expected a dictionary, but got list.');
    });
  });

  it('set no property of an object that is not theirs', async () => {
    const foreign =
      '"__proto__": {"name": "x", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}}';
    expect(await send(`{${foreign}}`)).toEqual(REQUIRED);
    const answer = await send(
      `{"name": "Own", ${foreign}, "toString": 1, "hasOwnProperty": 1, "valueOf": null, "then": 1}`,
    );
    expect(answer.status).toBe(201);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('may have fields of such names where any are free', async () => {
    const admin = await api.owner({ pluginsAccessLevel: PluginsAccess.Root });
    const config = '{"constructor":1,"__proto__":{"a":2},"a":[{"constructor":null}],"toString":"x"}';
    const raw = `{"plugin_type": "local", "config_schema": ${config}}`;
    const answer = await admin.post(admin.path('pipeline_destinations/'), undefined, { raw });
    expect(answer.status).toBe(201);
    expect(JSON.stringify(answer.body.config_schema)).toHaveLength(config.length);
    for (const name of ['{"constructor": 1}', '[{"constructor": {}}]']) {
      expect(await send(`{"name": ${name}}`)).toEqual(
        refusal(400, 'invalid_input', 'Not a valid string.', 'name'),
      );
    }
  });

  it('take the last of several fields of one name', async () => {
    expect((await send('{"name": 1, "name": "Last"}')).body.name).toBe('Last');
  });

  it('ignore unknown and read-only fields (D4, ERR-19)', async () => {
    const answer = await owner.post(PATH, {
      name: 'Read-only',
      id: owner.organizationId,
      slug: 'mine',
      plugins_access_level: 9,
      membership_level: 1,
      member_count: '7',
      unknown: { anything: [] },
    });
    expect(answer.body).toMatchObject({ slug: 'read-only', membership_level: 15, member_count: '1' });
    expect(answer.body.id).not.toBe(owner.organizationId);
  });
});
