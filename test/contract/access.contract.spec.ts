import { SCOPES } from '../../src/identity/index';
import { type Route, RouteTable } from '../../src/shared/http/route-table';
import { type Person, TestApi } from '../support/api';
import type { Client } from '../support/client';
import { refusal } from '../support/matchers';
import { World } from './world';

/** Whether a key with `scope` may do what needs `required` (D10). */
const opens = (scope: string, required: string): boolean =>
  scope === '*' ||
  scope === required ||
  (required.endsWith(':read') && scope === required.replace(':read', ':write'));

jest.setTimeout(120_000);

describe('Access to every route', () => {
  let api: TestApi;
  let world: World;
  let stranger: Person;
  let routes: readonly Route[];

  beforeAll(async () => {
    api = await TestApi.start();
    world = await World.create(api);
    stranger = await api.owner();
    routes = api.app.get(RouteTable).routes();
  });
  afterAll(() => api?.stop());

  const call = (client: Client, { method, path }: Route, { path: inWorld } = world) => {
    const url = inWorld(`${path}/`.replace(/:(\w+)/g, '{$1}'));
    return client.request(method, url, ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {});
  };

  const scoped = () =>
    routes.flatMap((route) =>
      typeof route.access === 'object' ? [{ route, scope: route.access.scope }] : [],
    );

  it('is declared for each: a scope, any key, a key or none, or public', () => {
    const open = routes
      .filter(({ access }) => access === 'public')
      .map(({ method, path }) => `${method} ${path}`);
    expect(open.sort()).toEqual([
      ...['GET /_livez', 'GET /_readyz', 'GET /api/schema', 'GET /metrics'],
      ...['GET /pages/copy.js', 'GET /pages/icon.svg', 'GET /pages/page.css', 'GET /signup/:secret'],
      ...['POST /batch', 'POST /capture', 'POST /e', 'POST /i/v0/e', 'POST /signup/:secret'],
    ]);
    const optionalKey = routes
      .filter(({ access }) => access === 'optional key')
      .map(({ method, path }) => `${method} ${path}`);
    expect(optionalKey.sort()).toEqual(['GET /api/signup/:secret', 'POST /api/signup/:secret']);
    const anyKey = routes
      .filter(({ access }) => access === 'any key')
      .map(({ method, path }) => `${method} ${path}`);
    expect(anyKey.sort()).toEqual([
      'GET /api/personal_api_keys/:id',
      'GET /api/projects',
      'GET /api/users/@me',
      'PATCH /api/users/@me',
      'PUT /api/users/@me',
    ]);
    expect(scoped().length).toBeGreaterThanOrEqual(75);
  });

  it('needs a key', async () => {
    for (const route of routes.filter(({ access }) => access === 'any key' || typeof access === 'object')) {
      const answer = await call(api.anyone(), route);
      expect({ route, answer }).toEqual({
        route,
        answer: refusal(401, 'not_authenticated', 'Authentication credentials were not provided.'),
      });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('is refused to a wrong key', async () => {
    const detail = 'Personal API key found in request Authorization header is invalid.';
    for (const { route } of scoped()) {
      const answer = await call(api.anyone(`phx_${'0'.repeat(47)}`), route);
      expect({ route, answer }).toEqual({ route, answer: refusal(401, 'authentication_failed', detail) });
    }
  });

  it('is refused to a key with every scope but those that grant it', async () => {
    for (const required of new Set(scoped().map(({ scope }) => scope))) {
      const others = SCOPES.filter((scope) => !opens(scope, required));
      const caller = await api.as(world.owner, { scopes: [...others] });
      for (const { route } of scoped().filter(({ scope }) => scope === required)) {
        const answer = await call(caller, route);
        const detail = `API key missing required scope '${required}'`;
        expect({ route, answer }).toEqual({ route, answer: refusal(403, 'permission_denied', detail) });
      }
    }
  });

  it('is refused to the key of another organization, as if nothing were there', async () => {
    for (const { route } of scoped().filter(({ route }) => route.tenants.length > 0)) {
      const answer = await call(stranger, route);
      expect({ route, answer }).toEqual({ route, answer: refusal(404, 'not_found', 'Not found.') });
    }
  });

  it('is open to a key with the scope alone', async () => {
    const callers = new Map<string, Person>();
    for (const { route, scope } of scoped()) {
      // What is deleted would be missing to the routes that follow.
      const disposable = route.method === 'DELETE' ? await World.create(api) : world;
      const caller =
        (disposable === world && callers.get(scope)) || (await api.as(disposable.owner, { scopes: [scope] }));
      if (disposable === world) callers.set(scope, caller);
      const answer = await call(caller, route, disposable);
      // What an empty body deserves is each context's own test; the key has come through here.
      const { detail = '' } = (answer.body ?? {}) as { detail?: string };
      const refused =
        [401, 404, 500, 503].includes(answer.status) || detail.includes('missing required scope');
      expect({ route, refused, body: answer.body }).toEqual({ route, refused: false, body: answer.body });
    }
  });
});
