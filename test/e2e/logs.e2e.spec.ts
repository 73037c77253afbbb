import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { Logger } from '@nestjs/common';
import { storage } from 'nestjs-pino/storage';
import { type Person, TestApi } from '../support/api';
import { type Entry, logs } from '../support/logs';
import { sendRaw } from '../support/raw-http';
import { until } from '../support/server-process';

describe('The log of a server under test', () => {
  it.each([
    ['a key', async ({ key }: { key: string }) => key],
    ['a secret of a destination', async () => 'the-secret-of-a-destination'],
  ])('is searched for %s that was used', async (_, secretOf) => {
    const api = await TestApi.start();
    const owner = await api.owner();
    const destination = {
      type: 'HTTP',
      config: { url: 'https://example.com', token: 'the-secret-of-a-destination' },
    };
    const made = await owner.post(owner.projectPath('batch_exports/'), {
      name: 'Mirror',
      interval: 'hour',
      destination,
    });
    expect(made.status).toBe(201);
    await api.stop();

    const careless = await TestApi.start();
    const person = await careless.owner();
    await person.get('/api/users/@me/');
    new Logger('Careless').debug(`Works with ${await secretOf({ key: person.key ?? '' })}`);
    await expect(careless.stop()).rejects.toThrow('is in the log');
    await careless.stop().catch(() => undefined);
  });
});

describe('The log', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });

  beforeEach(() => logs.search());

  afterAll(() => api.stop());

  /** The lines of so many requests; they are written once the answers have left, which may be after they have come. */
  async function requestsLogged(count: number): Promise<Entry[]> {
    await until(() => logs.requests.length >= count);
    return logs.requests;
  }

  it('has a line for every request but the probes of supervisors, whoever answers it', async () => {
    for (const path of ['/_livez', '/_readyz', '/metrics']) await api.anyone().get(path);
    const paths = [
      '/api/users/@me/',
      '/api/users/@m%65/',
      '/api/users/@me',
      owner.projectPath('actions/'),
      '/signup/none/',
      '/nothing/',
      '/docs/',
    ];
    for (const path of paths) await owner.get(path);
    await sendRaw(api.url, 'GET /api/nobody/ HTTP/1.1\r\nHost: no host\r\nConnection: close\r\n\r\n');
    const expected = [...paths, '/api/nobody/'].map((path) => path.replace('none', '...'));
    const logged = await requestsLogged(expected.length);
    expect(logged.map(({ req }) => req?.path).sort()).toEqual(expected.sort());
  });

  it('tells of a request who asked what, how it was answered and when', async () => {
    const answer = await owner.get('/api/users/@me/?secret=1');
    const [line = {}] = await requestsLogged(1);
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      pid: process.pid,
      hostname: hostname(),
      req: { id: answer.headers.get('x-request-id'), method: 'GET', path: '/api/users/@me/' },
      res: { status: 200 },
      responseTime: expect.any(Number),
      msg: 'request completed',
    });
    expect(Object.keys(line).slice(-4)).toEqual(['req', 'res', 'responseTime', 'msg']);
    expect((line as Entry).responseTime).toBe(Math.round((line as Entry).responseTime ?? 0));
  });

  it('has a line for a request whose caller goes before it is answered; the metrics do not count it', async () => {
    const path = owner.projectPath('actions/1/');
    const head = [
      `PUT ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${owner.key}`,
      'Content-Type: application/json',
      'Content-Length: 100',
      // The server says so when it has the request and wants its body.
      'Expect: 100-continue',
    ];
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    expect(await requestsLogged(1)).toMatchObject([
      { level: 30, req: { method: 'PUT', path }, res: { status: null }, msg: 'request aborted' },
    ]);
    expect((await api.anyone().get('/metrics')).text).not.toContain('method="PUT"');
  });

  it('has why an answer was cut off', async () => {
    (api.app.getHttpServer() as Server).prependOnceListener('request', (_request, response) => {
      response.once('prefinish', () => response.write('more'));
    });
    await owner.get('/api/users/@me/');
    expect(await requestsLogged(1)).toMatchObject([
      { level: 30, msg: 'request errored', err: { code: 'ERR_STREAM_WRITE_AFTER_END' } },
    ]);
  });

  it('has what failed and for which request, and nothing of the data', async () => {
    await api.rows('ALTER TABLE actions RENAME TO others');
    const path = owner.projectPath('actions/');
    const answers = await Promise.all(['Red', 'Blue'].map((name) => owner.post(path, { name })));
    const logged = await requestsLogged(2);
    for (const { status, headers } of answers) {
      expect(status).toBe(500);
      const req = { id: headers.get('x-request-id'), method: 'POST', path };
      const [failure, request] = logs.entries.filter((line) => line.req?.id === req.id);
      expect(failure).toMatchObject({
        level: 50,
        context: 'ErrorFilter',
        req,
        err: {
          type: 'error',
          message: 'relation "actions" does not exist',
          stack: expect.stringContaining('ActionRepository'),
          code: '42P01',
        },
        msg: 'relation "actions" does not exist',
      });
      expect(request).toMatchObject({
        level: 30,
        req,
        res: { status: 500 },
        err: { type: 'Error', message: 'failed with status code 500', stack: expect.any(String) },
        msg: 'request errored',
      });
      expect(logged).toContainEqual(request);
    }
    expect(JSON.stringify(logs.entries)).not.toMatch(/Red|Blue|INSERT/);
    await api.rows('ALTER TABLE others RENAME TO actions');
  });

  it('names no request where none is answered', () => {
    new Logger('Aside').log('Nobody asked');
    const [line] = logs.entries.filter(({ msg }) => msg === 'Nobody asked');
    expect(line).toMatchObject({ level: 30, context: 'Aside' });
    expect(line).not.toHaveProperty('req');
  });

  it('costs a request no context of its own', async () => {
    const run = jest.spyOn(storage, 'run');
    await owner.get('/api/users/@me/');
    await owner.get('/nothing/');
    await requestsLogged(2);
    expect(run).not.toHaveBeenCalled();
    run.mockRestore();
  });
});
