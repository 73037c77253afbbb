import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import shipped from '../../src/pipeline/catalogue/catalogue.json';
import { TestApi } from '../support/api';
import { refusal } from '../support/matchers';

const PLUGIN = {
  name: 'Sender',
  url: 'https://github.com/acme/sender',
  description: 'Sends.',
  icon: null,
  verified: true,
  maintainer: 'community',
};
const UNAVAILABLE = refusal(503, 'catalogue_unavailable', 'The catalogue of plugins cannot be read now.');

describe('The plugin catalogue (PLUG-29)', () => {
  let api: TestApi | null = null;
  let source: Server;
  let asked: IncomingMessage[];
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let warned: jest.SpyInstance;

  beforeEach(async () => {
    asked = [];
    answer = (_, response) => response.end(JSON.stringify([PLUGIN]));
    source = createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(source, 'listening');
    warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(async () => {
    warned.mockRestore();
    await api?.stop();
    api = null;
    source.closeAllConnections();
    source.close();
  });

  const address = (path = '/plugins.json?token=hunter2') =>
    `http://127.0.0.1:${(source.address() as AddressInfo).port}${path}`;
  const start = async (env: NodeJS.ProcessEnv = {}) => {
    api = await TestApi.start({
      PLUGIN_REPOSITORY_URL: address(),
      ALLOW_PRIVATE_PLUGIN_SOURCES: 'true',
      ...env,
    });
    const person = await api.owner();
    const path = person.path('pipeline_destinations/repository/');
    return {
      api,
      read: () => person.preferring.get(path),
      plain: () => person.get(path),
      families: () =>
        Promise.all(
          ['destinations', 'frontend_apps', 'import_apps', 'transformations'].map((family) =>
            person.preferring.get(person.path(`pipeline_${family}/repository/`)),
          ),
        ),
    };
  };
  const warnings = () => warned.mock.calls.map(([text]) => String(text));

  it('is the one that comes with the server unless another is set', async () => {
    const { families, plain } = await start({ PLUGIN_REPOSITORY_URL: '' });
    for (const { status, body } of await families()) expect([status, body]).toEqual([200, shipped]);
    expect((await plain()).text).toBe('');
    expect(asked).toEqual([]);
  });

  it('is read from its source once in 30 minutes, for all that ask at once', async () => {
    const { api, read, families } = await start();
    const answers = [...(await families()), await read()];
    for (const { status, body } of answers) expect([status, body]).toEqual([200, [PLUGIN]]);
    expect(asked).toHaveLength(1);
    api.clock.advance({ minutes: 29 });
    await read();
    expect(asked).toHaveLength(1);
    api.clock.advance({ minutes: 2 });
    answer = (_, response) => response.end('[]');
    expect((await read()).body).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  it('asks whether it has changed', async () => {
    const { api, read } = await start();
    answer = (request, response) => {
      if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
      else response.setHeader('ETag', '"v1"').end(JSON.stringify([PLUGIN]));
    };
    await read();
    api.clock.advance({ minutes: 31 });
    expect((await read()).body).toEqual([PLUGIN]);
    expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"v1"']);
    expect(warnings()).toEqual([]);
  });

  it('leaves out malformed entries, and fields that it does not know', async () => {
    const { read } = await start();
    const { icon, ...iconless } = PLUGIN;
    const entries = [
      { ...iconless, type: 'data_out' },
      { ...PLUGIN, url: 'javascript:alert(1)' },
      { ...PLUGIN, maintainer: 'nobody' },
      { ...PLUGIN, verified: 'yes' },
      { ...PLUGIN, icon: 'x' },
      { ...PLUGIN, description: undefined },
      { ...PLUGIN, name: ' ' },
      null,
      'x',
      [PLUGIN],
      { ...PLUGIN, name: 'Other', icon: 'https://example.com/i.png' },
    ];
    answer = (_, response) => response.end(JSON.stringify(entries));
    expect((await read()).body).toEqual([
      { ...PLUGIN, icon },
      { ...PLUGIN, name: 'Other', icon: 'https://example.com/i.png' },
    ]);
    expect(warnings()).toEqual([
      'The catalogue of plugins has 9 malformed of 11 entries, which are left out: ' +
        '1 (url), 2 (maintainer), 3 (verified), 4 (icon), 5 (description), 6 (name), 7 (entry), 8 (entry), 9 (entry)',
    ]);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => void, string]>([
    ['fails', (_, response) => response.writeHead(500).end('[]'), 'it answered 500'],
    ['forbids', (_, response) => response.writeHead(403).end(), 'it answered 403'],
    ['resets', (request) => request.socket.destroy(), 'socket hang up'],
    ['breaks off', (_, response) => response.writeHead(200, { 'Content-Length': 99 }).end('['), 'aborted'],
    ['has no JSON', (_, response) => response.end('<html>'), 'it is no JSON list'],
    ['has no list', (_, response) => response.end('{}'), 'it is no JSON list'],
    ['says unchanged unasked', (_, response) => response.writeHead(304).end(), 'it answered 304'],
    [
      'is too large',
      (_, response) => response.end(' '.repeat(2 * 1024 * 1024 + 1)),
      'it is larger than 2097152 bytes',
    ],
    [
      'redirects for ever',
      (_, response) => response.writeHead(302, { Location: '/again' }).end(),
      'it redirected more than 3 times',
    ],
    [
      'redirects elsewhere',
      (_, response) => response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
      'it redirected to no http or https address',
    ],
  ])(
    'is the last good one while its source %s, and asks again after a minute',
    async (_what, broken, why) => {
      const { api, read, plain } = await start();
      const works = answer;
      answer = broken;
      expect(await read()).toEqual(UNAVAILABLE);
      expect(warnings()).toEqual([
        `The catalogue of plugins (PLUGIN_REPOSITORY_URL) could not be read: ${why}`,
      ]);
      const times = asked.length;
      expect(await plain()).toEqual(UNAVAILABLE);
      expect(asked).toHaveLength(times);
      answer = works;
      api.clock.advance({ seconds: 61 });
      expect((await read()).body).toEqual([PLUGIN]);
      answer = broken;
      api.clock.advance({ minutes: 31 });
      expect((await read()).body).toEqual([PLUGIN]);
      expect(warnings().join()).not.toContain('hunter2');
    },
  );

  it('is taken from where its source redirects to', async () => {
    const { read } = await start();
    answer = ({ url }, response) =>
      url === '/moved.json'
        ? response.end(JSON.stringify([PLUGIN]))
        : response.writeHead(301, { Location: '/moved.json' }).end();
    expect((await read()).body).toEqual([PLUGIN]);
  });

  it('is not read from a private address unless that is allowed', async () => {
    const { read } = await start({ ALLOW_PRIVATE_PLUGIN_SOURCES: 'false' });
    expect(await read()).toEqual(UNAVAILABLE);
    expect(asked).toEqual([]);
    expect(warnings()).toEqual([expect.stringContaining('is not a public address')]);
  });
});
