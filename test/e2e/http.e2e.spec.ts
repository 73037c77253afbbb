import { Readiness } from '../../src/shared/http/health.controller';
import { type Person, TestApi } from '../support/api';
import type { Answer } from '../support/client';
import { NOT_FOUND, refusal } from '../support/matchers';
import { sendRaw } from '../support/raw-http';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const NO_ENDPOINT = () => refusal(404, 'not_found', 'Endpoint not found.');
const notAllowed = (method: string) => refusal(405, 'method_not_allowed', `Method "${method}" not allowed.`);

describe('HTTP', () => {
  let api: TestApi;
  let owner: Person;
  let domainId: string;

  beforeAll(async () => {
    api = await TestApi.start({ DNS_SERVERS: '127.0.0.1:1' });
    owner = await api.owner();
    domainId = (await owner.post(owner.path('domains/'), { domain: 'example.com' })).body.id;
  });
  afterAll(() => api?.stop());

  const raw = (lines: string[], body = '') =>
    sendRaw(api.url, `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`);

  describe('the slash at the end of a path (D3)', () => {
    it.each([
      ['/api/organizations', '/api/organizations/'],
      ['/api/organizations?limit=1&x=a%20b', '/api/organizations/?limit=1&x=a%20b'],
      ['/api/organizations?next=/a?b=c', '/api/organizations/?next=/a?b=c'],
      ['/api/organizations/@current/domains', '/api/organizations/@current/domains/'],
      ['/api/schema', '/api/schema/'],
    ])('%s is told to come as %s', async (path, location) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await api.anyone().request(method, path);
        expect([answer.status, answer.headers.get('location')]).toEqual([308, location]);
      }
    });

    it('is followed by clients with the same method, body and key', async () => {
      const answer = await fetch(`${api.url}/api/organizations?x=1`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${owner.key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'By redirect' }),
      });
      expect([answer.status, answer.url]).toEqual([201, `${api.url}/api/organizations/?x=1`]);
      expect(await answer.json()).toMatchObject({ name: 'By redirect' });
    });

    it('does not make an unknown path known', async () => {
      expect(await api.anyone().get('/api/nothing')).toEqual(NO_ENDPOINT());
      expect(await api.anyone().get('/nothing')).toEqual(NO_ENDPOINT());
    });
  });

  describe('an unknown path (ERR-13)', () => {
    it.each([
      '/api/nothing/',
      '/api/',
      '/api',
      '/',
      '/nothing',
      '/api/organizations//',
      '//api/organizations/',
    ])('is 404 without a key and whatever the method: %s', async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        expect(await api.anyone().request(method, path)).toEqual(NO_ENDPOINT());
      }
      expect(await api.anyone().post(path, undefined, { raw: '{' })).toEqual(NO_ENDPOINT());
      expect((await api.anyone().request('HEAD', path)).status).toBe(404);
    });

    it.each([
      ['broken percent-encoding', '%zz'],
      ['a lone percent sign', '%'],
      ['half a character', '%E0%A4%A'],
      ['8000 letters', 'a'.repeat(8000)],
      ['NUL', '%00'],
      ['a way up', '..%2f..%2f'],
      ['SQL', "'%20OR%201=1"],
    ])('has nothing under an id that is %s', async (_, id) => {
      expect(await owner.get(`/api/organizations/${id}/`)).toEqual(NOT_FOUND());
      expect(await owner.get(`/api/organizations/@current/domains/${id}/`)).toEqual(NOT_FOUND());
      expect(await owner.patch(`/api/organizations/${id}/`, { name: 'x' })).toEqual(NOT_FOUND());
      expect([308, 404]).toContain((await owner.get(`/api/organizations/${id}`)).status);
      expect(await api.anyone().get(`/nothing/${id}/`)).toEqual(
        expect.objectContaining({ status: 404, body: expect.objectContaining({ code: 'not_found' }) }),
      );
    });
  });

  describe('a method that a path does not have (D4, ERR-15)', () => {
    const allow = (answer: Answer) => answer.headers.get('allow')?.split(', ').sort().join(' ');

    it.each([
      ['PUT', '/api/organizations/', 'GET HEAD POST'],
      ['PATCH', '/api/organizations/', 'GET HEAD POST'],
      ['DELETE', '/api/organizations/', 'GET HEAD POST'],
      ['OPTIONS', '/api/organizations/', 'GET HEAD POST'],
      ['POST', '/api/organizations/@current/', 'DELETE GET HEAD PATCH PUT'],
      ['GET', '/api/organizations/@current/domains/1/verify/', 'POST'],
      ['POST', '/api/schema/', 'GET HEAD'],
      ['POST', '/_livez', 'GET HEAD'],
      ['DELETE', '/_readyz', 'GET HEAD'],
      ['PROPFIND', '/api/organizations/', 'GET HEAD POST'],
    ])('is 405 with Allow: %s %s', async (method, path, methods) => {
      const answer = await api.anyone().request(method, path);
      expect(answer).toEqual(notAllowed(method));
      expect(allow(answer)).toBe(methods);
      expect(await owner.request(method, path)).toEqual(notAllowed(method));
    });

    it('is 405 without a body for HEAD', async () => {
      const answer = await owner.request('HEAD', '/api/organizations/@current/domains/1/verify/');
      expect([answer.status, answer.text, allow(answer)]).toEqual([405, '', 'POST']);
    });
  });

  it('answers HEAD as GET without the body', async () => {
    for (const path of [owner.path(''), owner.path('domains/'), '/api/nothing/', '/_livez', '/api/schema/']) {
      const get = await owner.get(path);
      const head = await owner.request('HEAD', path);
      expect([head.status, head.text]).toEqual([get.status, '']);
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    }
    expect((await api.anyone().request('HEAD', owner.path(''))).status).toBe(401);
  });

  it('takes a request whose target is a whole URL', async () => {
    const target = `http://other.example.com/api/organizations/@current/domains/?limit=1`;
    const [answer] = await raw([
      `GET ${target} HTTP/1.1`,
      'Host: other.example.com',
      `Authorization: Bearer ${owner.key}`,
    ]);
    expect(answer?.status).toBe(200);
    const [redirect] = await raw(['GET http://other.example.com/api/organizations HTTP/1.1', 'Host: x']);
    expect([redirect?.status, redirect?.headers.location]).toEqual([308, '/api/organizations/']);
  });

  it('says nothing of what serves it, and caches keep nothing that is not asked about each time', async () => {
    const [resource, error] = [await owner.get(owner.path('')), await api.anyone().get('/api/nothing/')];
    for (const answer of [resource, error]) {
      expect(answer.headers.get('x-powered-by')).toBeNull();
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    expect(resource.headers.get('cache-control')).toBe('private, no-cache');
    expect(error.headers.get('etag')).toBeNull();
  });

  describe('X-Request-Id', () => {
    it('is made up for a request that has none', async () => {
      const [one, other] = [await owner.get(owner.path('')), await owner.get(owner.path(''))];
      expect(one.headers.get('x-request-id')).toMatch(UUID);
      expect(other.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'));
    });

    it('is taken from a proxy, on errors and redirects as well', async () => {
      const headers = { 'X-Request-Id': 'abc-1:2.3_4' };
      for (const [client, method, path] of [
        [owner, 'GET', owner.path('')],
        [owner, 'DELETE', '/api/organizations/'],
        [owner, 'POST', '/api/organizations/'],
        [api.anyone(), 'GET', '/api/organizations/'],
        [api.anyone(), 'GET', '/api/nothing/'],
        [api.anyone(), 'GET', '/api/organizations'],
        [api.anyone(), 'GET', '/api/organizations/%zz/'],
        [api.anyone(), 'GET', '/_livez'],
      ] as const) {
        const answer = await client.request(method, path, { headers });
        expect([path, answer.headers.get('x-request-id')]).toEqual([path, 'abc-1:2.3_4']);
      }
    });

    it.each(['', 'a b', 'a"b', '<script>', 'x'.repeat(129)])(
      'is replaced when it reads %.10j',
      async (id) => {
        const answer = await owner.get(owner.path(''), { headers: { 'X-Request-Id': id } });
        expect(answer.headers.get('x-request-id')).toMatch(UUID);
      },
    );
  });

  describe('Prefer (D1)', () => {
    const verify = (client: Person, prefer?: string) =>
      client.post(client.path(`domains/${domainId}/verify/`), undefined, {
        headers: prefer === undefined ? {} : { Prefer: prefer },
      });

    it.each([
      undefined,
      '',
      'return=minimal',
      'return = "minimal"',
      'respond-async',
      'handling=lenient',
      'return=everything',
      'return',
      'noreturn=representation',
      'handling=lenient; return=representation',
      'note="a, return=representation"',
      'return=minimal, return=representation',
    ])('leaves the body empty: %s', async (prefer) => {
      const answer = await verify(owner, prefer);
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('content-length')).toBe('0');
      expect(answer.headers.get('content-type')).toBeNull();
      expect(answer.headers.get('vary')).toBe('Prefer');
      const applied = /^return ?= ?"?minimal/.test(prefer ?? '') ? 'return=minimal' : null;
      expect(answer.headers.get('preference-applied')).toBe(applied);
    });

    it.each([
      'return=representation',
      'Return=Representation',
      'return="representation"',
      'return = representation',
      'respond-async, return=representation',
      'note="a, b",return=representation;foo=bar, wait=10',
      'return=representation, return=minimal',
    ])('asks for the body: %s', async (prefer) => {
      const answer = await verify(owner, prefer);
      expect([answer.status, answer.body.id]).toEqual([200, domainId]);
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.headers.get('preference-applied')).toBe('return=representation');
      expect(answer.headers.get('vary')).toBe('Prefer');
    });

    it('changes nothing where there is a body anyway', async () => {
      const answer = await owner.get(owner.path(''), { headers: { Prefer: 'return=minimal' } });
      expect(answer.body.id).toBe(owner.organizationId);
      expect(answer.headers.get('preference-applied')).toBeNull();
    });
  });

  it('tells of itself without a key', async () => {
    const anyone = api.anyone();
    expect(await anyone.get('/_livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await anyone.get('/_readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect((await anyone.get('/api/schema/')).body.openapi).toMatch(/^3\./);
    expect((await anyone.get('/metrics')).headers.get('content-type')).toMatch(/^text\/plain/);
    const docs = await anyone.get('/docs/');
    expect([docs.status, docs.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });
});

describe('HTTP with settings of its own', () => {
  let api: TestApi;
  afterEach(() => api?.stop());

  it('answers representations where DEFAULT_PREFER says so, unless the caller prefers none (D1)', async () => {
    api = await TestApi.start({ DEFAULT_PREFER: 'representation', DNS_SERVERS: '127.0.0.1:1' });
    const owner = await api.owner();
    const { body: domain } = await owner.post(owner.path('domains/'), { domain: 'example.com' });
    const path = owner.path(`domains/${domain.id}/verify/`);
    const full = await owner.post(path);
    expect([full.status, full.body, full.headers.get('preference-applied')]).toEqual([200, domain, null]);
    const minimal = await owner.post(path, undefined, { headers: { Prefer: 'return=minimal' } });
    expect([minimal.status, minimal.text]).toEqual([200, '']);
    expect(minimal.headers.get('preference-applied')).toBe('return=minimal');
  });

  it('keeps redirects under the path of PUBLIC_URL', async () => {
    api = await TestApi.start({ PUBLIC_URL: 'https://example.com/hedgerow/' });
    const answer = await api.anyone().get('/api/organizations?x=1');
    expect(answer.headers.get('location')).toBe('/hedgerow/api/organizations/?x=1');
  });

  it('closes connections while it stops, and is not ready', async () => {
    api = await TestApi.start();
    const anyone = api.anyone();
    expect((await anyone.get('/_livez')).headers.get('connection')).toBe('keep-alive');
    api.app.get(Readiness).drain();
    const answer = await anyone.get('/_readyz');
    expect(answer).toEqual(refusal(503, 'service_unavailable', 'The server is starting or stopping.'));
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(answer.headers.get('connection')).toBe('close');
    expect((await anyone.get('/_livez')).status).toBe(200);
  });
});
