import { createDocument } from '../../src/shared/http/openapi/document';
import { TestApi } from '../support/api';
import { operationsOf, World } from './world';

const MALFORMED = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';

describe('Idempotency-Key', () => {
  let api: TestApi;
  let world: World;

  beforeAll(async () => {
    api = await TestApi.start();
    world = await World.create(api);
  });
  afterAll(() => api.stop());

  const asked = async (methods: readonly string[]) => {
    const operations = operationsOf(createDocument(api.app)).filter(
      ({ method, path }) => methods.includes(method) && path.startsWith('/api/'),
    );
    return Promise.all(
      operations.map(async ({ method, path }) => {
        const answer = await world.owner.request(method, world.path(path), {
          body: method === 'GET' ? undefined : {},
          headers: { 'Idempotency-Key': 'not one word' },
        });
        return { operation: `${method} ${path}`, isRefused: answer.body?.detail === MALFORMED };
      }),
    );
  };

  it('is looked at by every POST of the API', async () => {
    const answers = await asked(['POST']);
    expect(answers.length).toBeGreaterThan(30);
    expect(answers.filter(({ isRefused }) => !isRefused)).toEqual([]);
  });

  it('is nothing to what is safe to repeat anyway', async () => {
    const answers = await asked(['GET']);
    expect(answers.filter(({ isRefused }) => isRefused)).toEqual([]);
  });
});
