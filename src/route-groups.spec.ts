import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { RouteGroups } from './route-groups';

describe('Groups of routes', () => {
  const asked = async (app: Express, method: string, path: string) => {
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
      return `${answer.status} ${await answer.text()}`;
    } finally {
      server.close();
    }
  };

  const serving = (routes: readonly [(typeof RouteGroups.METHODS)[number], string][]): Express => {
    const groups = new RouteGroups();
    const app = express();
    app.use(groups.dispatch);
    for (const [method, path] of routes) {
      groups.add(method, [
        path,
        (request: express.Request, response: express.Response) => {
          response.send(`${request.route.path} ${JSON.stringify(request.params)}`);
        },
      ]);
    }
    app.use((_request, response) => {
      response.send('left to Express');
    });
    return app;
  };

  const app = serving([
    ['get', '/api/things'],
    ['get', '/api/things/:id'],
    ['post', '/api/things/:id/parts/bulk'],
    ['post', '/api/things/:id/parts/:part'],
    ['get', '/api/others/:id'],
  ]);

  it.each([
    ['GET', '/api/things', '/api/things {}'],
    ['GET', '/api/things/', '/api/things {}'],
    ['GET', '/api/things/?limit=1', '/api/things {}'],
    ['GET', '/API/Things/Ab/', '/api/things/:id {"id":"Ab"}'],
    ['HEAD', '/api/things/7/', ''],
    ['GET', '/api/things/%37/', 'left to Express'],
    ['POST', '/api/things/7/parts/bulk/', '/api/things/:id/parts/bulk {"id":"7"}'],
    ['POST', '/api/things/7/parts/1/', '/api/things/:id/parts/:part {"id":"7","part":"1"}'],
    ['GET', '/api/others/7/', '/api/others/:id {"id":"7"}'],
    ['PUT', '/api/things/7/', 'left to Express'],
    ['OPTIONS', '/api/things/7/', 'left to Express'],
    ['GET', '/api/nothing/7/', 'left to Express'],
    ['GET', '/api/things/7/parts/', 'left to Express'],
    ['GET', '/api//things/', 'left to Express'],
    ['GET', '/api/things//', 'left to Express'],
    ['GET', '/ap%69/things/', 'left to Express'],
  ])('answer %s %s with %s', async (method, path, text) => {
    expect(await asked(app, method, path)).toBe(`200 ${text}`);
  });

  it('take no route whose path does not tell its group', () => {
    const groups = new RouteGroups();
    const handler = () => undefined;
    expect(groups.add('get', ['/signup/:secret', handler])).toBe(false);
    expect(groups.add('get', ['/api/things/:id/:part', handler])).toBe(false);
    expect(groups.add('get', ['/{*path}', handler])).toBe(false);
    expect(groups.add('get', [/^\/api/, handler])).toBe(false);
    expect(groups.add('get', ['/api/things/:id{/:part}', handler])).toBe(false);
    expect(groups.add('get', ['/api/things', handler, handler])).toBe(false);
  });
});
