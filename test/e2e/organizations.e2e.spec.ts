import { Level } from '../../src/shared/domain/level';
import { TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

describe('Organizations', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  it('creates, lists, retrieves, changes and deletes one', async () => {
    const owner = await api.owner();
    const created = await owner.post('/api/organizations/', { name: 'Test' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      name: 'Test',
      slug: 'test',
      membership_level: 15,
      plugins_access_level: 6,
    });
    const list = await owner.get('/api/organizations/');
    expect(list.body.count).toBe(2);
    const path = `/api/organizations/${created.body.id}/`;
    expect((await owner.get(path)).body).toEqual(created.body);
    const changed = await owner.patch(path, { name: 'Other' });
    expect(changed.body).toMatchObject({ name: 'Other', slug: 'test' });
    const deleted = await owner.delete(path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await owner.get(path)).toEqual(NOT_FOUND());
  });
});
