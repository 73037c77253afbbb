import { createDocument } from '../../src/shared/http/openapi/document';
import { RouteTable } from '../../src/shared/http/route-table';
import { TestApi } from '../support/api';
import { sampleObject } from './bad-input';
import { type Operation, operationsOf, World } from './world';

const CHANGED = 'The resource has changed since: its ETag is none of If-Match. Read it again.';

describe('If-Match', () => {
  let api: TestApi;
  let world: World;
  let operations: Operation[];
  let bodyOf: (operation: Operation) => object | undefined;

  beforeAll(async () => {
    api = await TestApi.start();
    world = await World.create(api);
    const document = createDocument(api.app);
    const conditional = api.app
      .get(RouteTable)
      .routes()
      .filter((route) => route.conditional)
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}/`);
    operations = operationsOf(document).filter(({ method, path }) =>
      conditional.includes(`${method} ${path}`),
    );
    bodyOf = ({ method, body }) =>
      method === 'PUT' && body ? sampleObject(document, body) : method === 'PATCH' ? {} : undefined;
  });
  afterAll(() => api.stop());

  const send = ({ method, path }: Operation, body: object | undefined, tag: string) =>
    world.owner.request(method, world.path(path), { body, headers: { 'If-Match': tag } });

  it('keeps every change and deletion from a resource that is another by now', async () => {
    expect(operations.length).toBeGreaterThan(20);
    for (const operation of operations) {
      const path = world.path(operation.path);
      const before = await world.owner.get(path);
      const body = { ...before.body, ...bodyOf(operation) };
      const answer = await send(operation, operation.method === 'DELETE' ? undefined : body, '"other"');
      const name = `${operation.method} ${operation.path}`;
      expect(`${name} ${answer.status} ${answer.body?.detail}`).toBe(`${name} 412 ${CHANGED}`);
      expect((await world.owner.get(path)).headers.get('etag')).toBe(before.headers.get('etag'));
    }
  });

  it('lets a change through that knows the resource as it is, and its twin that came too late does not', async () => {
    for (const operation of operations.filter(({ method }) => method === 'PATCH')) {
      const path = world.path(operation.path);
      const tag = (await world.owner.get(path)).headers.get('etag') ?? '';
      expect((await send(operation, {}, tag)).status).toBe(200);
    }
    const action = await world.owner.post(world.owner.projectPath('actions/'), { name: 'Race' });
    const path = world.owner.projectPath(`actions/${action.body.id}/`);
    const tag = (await world.owner.get(path)).headers.get('etag') ?? '';
    const race = await Promise.all(
      ['one', 'two', 'three'].map((description) =>
        world.owner.patch(path, { description }, { headers: { 'If-Match': tag } }),
      ),
    );
    expect(race.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
    expect(
      (await world.owner.patch(path, { description: 'any' }, { headers: { 'If-Match': '*' } })).status,
    ).toBe(200);
  });
});
