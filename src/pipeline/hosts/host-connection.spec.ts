import { json, PluginHostServer, redirect, status } from '../../../test/support/plugin-host-server';
import { AddressPolicy } from '../../shared/net/address-policy';
import { type Credential, HostConnection } from './host-connection';

/** Lets connections be made to the test's own server, and to nothing else. */
class OnlyHere extends AddressPolicy {
  override allows(address: string): boolean {
    return address === '127.0.0.1';
  }
}

const policy = new OnlyHere(false);
const anywhere = new AddressPolicy(true);

describe('HostConnection', () => {
  let host: PluginHostServer;
  beforeAll(async () => {
    host = await PluginHostServer.start();
  });
  afterAll(() => host.stop());
  beforeEach(() => host.forget());

  const never = () => new AbortController().signal;
  const connect = (by = policy, signal = never(), plainHttp = true) =>
    new HostConnection(by, plainHttp, signal);
  const ask = (path: string, credential: Credential | null = null, connection = connect()) =>
    connection.get(host.url + path, { credential }, 1000);
  const authorizations = () => host.asked.map(({ headers }) => headers.authorization);

  it('gets what is there, uncompressed, and says what it is called', async () => {
    host.on('/there', (request, response) => {
      response.setHeader('ETag', '"one"').end(request.headers['accept-encoding']);
    });
    expect(await ask('/there')).toEqual({ bytes: Buffer.from('identity'), etag: '"one"' });
  });

  it.each(['', 'with blank', `"${'x'.repeat(500)}"`])('minds no ETag that is odd: %.20j', async (etag) => {
    host.on('/odd', (_, response) => response.setHeader('ETag', etag).end());
    expect((await ask('/odd')).etag).toBeNull();
  });

  it('asks whether it is still the same', async () => {
    host.on('/same', json({ a: 1 }));
    const { etag } = await ask('/same');
    const question = { credential: null };
    expect(await connect().getUnless(etag, `${host.url}/same`, question, 1000)).toBeNull();
    expect(await connect().getUnless('"other"', `${host.url}/same`, question, 1000)).toMatchObject({ etag });
  });

  it('follows redirects, and tells the token to the origin that it is for alone', async () => {
    host.on('/first', redirect('/second'));
    host.on('/second', redirect(`${host.otherUrl}/third`));
    host.on('/third', redirect(`${host.url}/fourth`));
    host.on('/fourth', (_, response) => response.end('here'));
    const credential = { origin: host.url, token: 'secret' };
    expect(String((await ask('/first', credential, connect(anywhere))).bytes)).toBe('here');
    expect(authorizations()).toEqual(['Bearer secret', 'Bearer secret', undefined, 'Bearer secret']);
    host.forget();
    await ask('/second', { ...credential, origin: host.otherUrl }, connect(anywhere));
    expect(authorizations()).toEqual([undefined, 'Bearer secret', undefined]);
  });

  it('does not take a user and password from where it is redirected to', async () => {
    host.on('/away', redirect(`http://user:password@127.0.0.1:${host.port}/in`));
    host.on('/in', (_, response) => response.end());
    await ask('/away');
    expect(authorizations()).toEqual([undefined, undefined]);
  });

  it.each([
    ['a private address', () => 'http://127.0.0.2/', 'private'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/', 'private'],
    ['another scheme', () => 'file:///etc/passwd', 'failed'],
    ['nowhere', () => 'http://', 'failed'],
    ['itself', () => '/leads', 'failed'],
  ])('does not follow a redirect to %s', async (_where, location, kind) => {
    host.on('/leads', redirect(location()));
    await expect(ask('/leads')).rejects.toMatchObject({ kind });
  });

  it('refuses a private address, by number and by name', async () => {
    const strict = connect(new AddressPolicy(false));
    for (const url of [host.url, host.otherUrl]) {
      await expect(strict.get(url, { credential: null }, 1)).rejects.toMatchObject({ kind: 'private' });
    }
    expect(host.asked).toEqual([]);
  });

  it('needs TLS where private networks are closed', async () => {
    await expect(ask('/there', null, connect(policy, never(), false))).rejects.toMatchObject({
      kind: 'failed',
    });
    expect(host.asked).toEqual([]);
  });

  it.each([
    [401, {}, 'absent'],
    [403, {}, 'absent'],
    [404, {}, 'absent'],
    [410, {}, 'absent'],
    [422, {}, 'absent'],
    [403, { 'X-RateLimit-Remaining': '0' }, 'failed'],
    [403, { 'Retry-After': '60' }, 'failed'],
    [429, {}, 'failed'],
    [304, {}, 'failed'],
    [204, {}, 'failed'],
    [400, {}, 'failed'],
    [500, {}, 'failed'],
    [503, {}, 'failed'],
  ])('tells what an answer %i %j means', async (code, headers, kind) => {
    host.on('/status', status(code, undefined, headers));
    await expect(ask('/status')).rejects.toMatchObject({ kind });
  });

  it('takes no more than the limit', async () => {
    host.on('/large', (_, response) => response.end('x'.repeat(1001)));
    await expect(ask('/large')).rejects.toMatchObject({ kind: 'oversized' });
    host.on('/large', (_, response) => response.end('x'.repeat(1000)));
    expect((await ask('/large')).bytes).toHaveLength(1000);
  });

  it('does not read what comes with an error', async () => {
    host.on('/talkative', (_, response) => {
      const more = () => response.write('x'.repeat(65_536), (error) => error || more());
      response.writeHead(500);
      more();
    });
    await expect(ask('/talkative')).rejects.toMatchObject({ kind: 'failed', message: 'it answered 500' });
  });

  it.each<[string, Parameters<PluginHostServer['on']>[1]]>([
    ['before it answers', (request) => request.socket.destroy()],
    [
      'half-way',
      (request, response) => {
        response.writeHead(200, { 'Content-Length': '100' });
        response.write('half', () => request.socket.destroy());
      },
    ],
  ])('tells that the connection was ended %s', async (_when, handler) => {
    host.on('/cut', handler);
    await expect(ask('/cut')).rejects.toMatchObject({ kind: 'failed', message: 'it ended the connection' });
  });

  it('tells that nobody is there', async () => {
    const unused = await PluginHostServer.start();
    const { url } = unused;
    await unused.stop();
    const answer = connect().get(url, { credential: null }, 1);
    await expect(answer).rejects.toMatchObject({ kind: 'failed', message: 'it refuses connections' });
  });

  it.each<[string, Parameters<PluginHostServer['on']>[1]]>([
    ['does not answer', () => undefined],
    ['does not end', (_, response) => response.writeHead(200).write('x')],
  ])('ends when it is told to, while a host %s', async (_what, handler) => {
    const stop = new AbortController();
    host.on('/endless', (request, response) => {
      handler(request, response);
      setImmediate(() => stop.abort());
    });
    await expect(ask('/endless', null, connect(policy, stop.signal))).rejects.toMatchObject({
      kind: 'failed',
    });
  });
});
