import type { Server } from 'node:http';
import { connect } from 'node:net';
import { TestApi } from '../support/api';

const ORIGIN = 'https://app.example.com';

describe('The edge of the server', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start({ CORS_ORIGINS: ORIGIN, PUBLIC_URL: 'https://hedgerow.example.com' });
  });
  afterAll(() => api.stop());

  it('tells browsers that answers are data', async () => {
    const owner = await api.owner();
    for (const answer of [await owner.get('/api/users/@me/'), await owner.get('/api/nothing/')]) {
      expect(answer.headers.get('content-security-policy')).toBe(
        "default-src 'none';frame-ancestors 'none';form-action 'none';base-uri 'none'",
      );
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
      expect(answer.headers.get('strict-transport-security')).toContain('max-age=31536000');
      expect(answer.headers.get('x-powered-by')).toBeNull();
    }
  });

  it('lets the documentation run its own scripts alone', async () => {
    const docs = await api.anyone().get('/docs/');
    expect(docs.status).toBe(200);
    expect(docs.headers.get('content-security-policy')).toContain("script-src 'self';");
  });

  it('promises https only where it is reached by it', async () => {
    const plain = await TestApi.start();
    const answer = await plain.anyone().get('/_livez');
    expect(answer.headers.get('strict-transport-security')).toBeNull();
    await plain.stop();
  });

  describe('to pages of other origins', () => {
    const preflight = (from: TestApi, origin: string) =>
      fetch(`${from.url}/api/users/@me/`, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'PATCH',
          'Access-Control-Request-Headers': 'authorization,content-type',
        },
      });

    it('opens itself where it is told to', async () => {
      const owner = await api.owner();
      const asked = await preflight(api, ORIGIN);
      expect(asked.status).toBe(204);
      expect(asked.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
      expect(asked.headers.get('access-control-allow-headers')).toBe('authorization,content-type');
      const answer = await owner.get('/api/users/@me/', { headers: { Origin: ORIGIN } });
      expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(answer.headers.get('access-control-expose-headers')).toContain('Retry-After');
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    });

    it('stays closed to the rest', async () => {
      const owner = await api.owner();
      const answer = await owner.get('/api/users/@me/', { headers: { Origin: 'https://evil.example.com' } });
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      expect(
        (await preflight(api, 'https://evil.example.com')).headers.get('access-control-allow-origin'),
      ).toBeNull();
    });

    it('stays closed to all unless it is told otherwise', async () => {
      const closed = await TestApi.start();
      const asked = await preflight(closed, ORIGIN);
      expect(asked.status).toBe(405);
      expect(asked.headers.get('access-control-allow-origin')).toBeNull();
      await closed.stop();
    });
  });

  it('does not wait for a request that comes one byte at a time', async () => {
    const server = api.app.getHttpServer() as Server;
    expect(server.headersTimeout).toBe(10_000);
    server.headersTimeout = 300;
    const { port } = new URL(api.url);
    const socket = connect(Number(port), '127.0.0.1');
    const drip = setInterval(() => socket.write('X'), 100);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      socket.setEncoding('utf8').on('data', (data) => {
        text += data;
      });
      socket.on('close', () => resolve(text));
      socket.on('error', () => resolve(text));
      socket.write('GET /_livez HTTP/1.1\r\nHost: hedgerow\r\n');
    });
    clearInterval(drip);
    server.headersTimeout = 10_000;
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
  });

  it('names every request, as the proxy did or anew', async () => {
    const named = await api.anyone().get('/_livez', { headers: { 'X-Request-Id': 'abc-123' } });
    expect(named.headers.get('x-request-id')).toBe('abc-123');
    const odd = await api.anyone().get('/_livez', { headers: { 'X-Request-Id': 'a b<script>' } });
    expect(odd.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });
});
