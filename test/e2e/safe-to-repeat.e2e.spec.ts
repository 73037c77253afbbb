import { randomUUID } from 'node:crypto';
import { FirstAnswers } from '../../src/shared/idempotency/first-answers';
import { CurrentRequest } from '../../src/shared/request/current-request';
import { TestApi } from '../support/api';
import { refusal } from '../support/matchers';

const MALFORMED = 'Idempotency-Key must be 1 to 255 visible ASCII characters.';
const REUSED =
  'This Idempotency-Key was used with another body or query. Send the same again, or another key.';

describe('Requests that are safe to repeat', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api.stop());

  const named = (key: string) => ({ headers: { 'Idempotency-Key': key } });
  const count = async (table: string) => {
    const [row] = await api.rows<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
    return row?.count;
  };

  describe('with an Idempotency-Key', () => {
    it('are done once, and answered as the first time', async () => {
      const owner = await api.owner();
      const key = randomUUID();
      const first = await owner.post(owner.projectPath('actions/'), { name: 'Once' }, named(key));
      expect(first.status).toBe(201);
      expect(first.headers.get('idempotent-replayed')).toBeNull();
      const again = await owner.post(owner.projectPath('actions/'), { name: 'Once' }, named(key));
      expect(again.status).toBe(201);
      expect(again.text).toBe(first.text);
      expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(again.headers.get('idempotent-replayed')).toBe('true');
      expect((await owner.get(owner.projectPath('actions/'))).body.count).toBe(1);
    });

    it('give a secret again that is shown this once, and keep it sealed', async () => {
      const owner = await api.owner();
      const body = { label: 'Robot', scopes: ['action:read'] };
      const first = await owner.post('/api/personal_api_keys/', body, named('make the robot'));
      const again = await owner.post('/api/personal_api_keys/', body, named('make-the-robot'));
      expect(first).toMatchObject(refusal(400, 'invalid_input', MALFORMED));
      expect(again.status).toBe(201);
      const once = await owner.post('/api/personal_api_keys/', body, named('make-the-robot'));
      expect(once.body.value).toBe(again.body.value);
      const invite = { target_email: 'ada@example.com' };
      const link = await owner.post(owner.path('invites/'), invite, named('invite'));
      const same = await owner.post(owner.path('invites/'), invite, named('invite'));
      expect(link.headers.get('link')).toMatch(/rel="accept"/);
      expect(same.headers.get('link')).toBe(link.headers.get('link'));
      const [kept] = await api.rows<{ all: string }>(
        "SELECT string_agg(encode(answer, 'escape'), '') AS all FROM idempotency_keys",
      );
      expect(kept?.all).not.toContain(once.body.value);
      expect(kept?.all).not.toContain('signup');
    });

    it('keep an answer without a body', async () => {
      const owner = await api.owner();
      const created = await owner.post(owner.path('batch_exports/'), {
        name: 'Nightly',
        interval: 'day',
        destination: { type: 'NoOp', config: {} },
      });
      const path = owner.path(`batch_exports/${created.body.id}/pause/`);
      for (const replayed of [null, 'true']) {
        const answer = await owner.post(path, undefined, named('pause'));
        expect(answer.status).toBe(200);
        expect(answer.text).toBe('');
        expect(answer.headers.get('content-length')).toBe('0');
        expect(answer.headers.get('idempotent-replayed')).toBe(replayed);
      }
    });

    it('refuse another body under the same key', async () => {
      const owner = await api.owner();
      const path = owner.projectPath('actions/');
      await owner.post(path, { name: 'One' }, named('k'));
      const other = await owner.post(path, { name: 'Two' }, named('k'));
      expect(other).toMatchObject(refusal(422, 'idempotency_key_reused', REUSED));
      expect((await owner.get(path)).body.count).toBe(1);
    });

    it('refuse another query under the same key', async () => {
      const owner = await api.owner();
      const path = owner.projectPath('actions/');
      const csv = await owner.post(`${path}?format=csv`, { name: 'One' }, named('k'));
      expect(csv.headers.get('content-type')).toContain('text/csv');
      for (const query of ['', '?format=json', '?format=csv&format=csv']) {
        const other = await owner.post(`${path}${query}`, { name: 'One' }, named('k'));
        expect(other).toMatchObject(refusal(422, 'idempotency_key_reused', REUSED));
      }
      const same = await owner.post(`${path}?format=csv`, { name: 'One' }, named('k'));
      expect(same.text).toBe(csv.text);
      expect((await owner.get(path)).body.count).toBe(1);
    });

    it('are told apart by caller and by path', async () => {
      const [one, two] = [await api.owner(), await api.owner()];
      const body = { name: 'Mine' };
      const answers = [
        await one.post(one.projectPath('actions/'), body, named('k')),
        await two.post(two.projectPath('actions/'), body, named('k')),
        await one.post('/api/organizations/', body, named('k')),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(answers.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, null, null]);
      const second = await api.as(one, {});
      const name = await second.post(one.projectPath('actions/'), { name: 'Other' }, named('k'));
      expect(name.status).toBe(201);
    });

    it('are done once when they come at once', async () => {
      const owner = await api.owner();
      const before = (await count('organizations')) ?? 0;
      const key = randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => owner.post('/api/organizations/', { name: 'At once' }, named(key))),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      expect(await count('organizations')).toBe(before + 1);
    });

    it('leave connections for everybody else while their work waits', async () => {
      const owner = await api.owner();
      const small = await api.beside({ DATABASE_POOL_SIZE: '2' });
      const answers = small.app.get(FirstAnswers);
      const done = { status: 200, headers: {}, body: null };
      let end = () => {};
      const slow = new Promise<void>((go) => {
        end = go;
      });
      const requests = ['one', 'two'].map((key) =>
        answers.once({ caller: 'nobody', route: 'POST /', key }, '', () => slow.then(() => done)),
      );
      const caller = small.anyone(owner.key);
      expect((await caller.get('/api/users/@me/')).status).toBe(200);
      await expect(requests[1]).rejects.toThrow('Too many requests with an Idempotency-Key are under way.');
      expect((await caller.get('/api/users/@me/')).status).toBe(200);
      end();
      await expect(requests[0]).resolves.toEqual({ answer: done, replayed: false });
      await small.stop();
    });

    it('leave turns for others while the work of one user waits', async () => {
      const small = await api.beside({ DATABASE_POOL_SIZE: '4' });
      const answers = small.app.get(FirstAnswers);
      const current = small.app.get(CurrentRequest);
      const done = { status: 200, headers: {}, body: null };
      let end = () => {};
      const slow = new Promise<void>((go) => {
        end = go;
      });
      const ask = (userId: number, key: string, work: Promise<void>) =>
        current.run(
          { id: key, method: 'POST', originalUrl: '/', headers: {}, principal: { userId, keyId: key } },
          () => answers.once({ caller: key, route: 'POST /', key }, '', () => work.then(() => done)),
        );
      const greedy = ['a', 'b', 'c'].map((key) => ask(1, key, slow));
      await expect(ask(2, 'd', Promise.resolve())).resolves.toEqual({ answer: done, replayed: false });
      end();
      await Promise.all(greedy);
      await small.stop();
    });

    it('can be mended after an error, which has changed nothing', async () => {
      const owner = await api.owner();
      const path = owner.projectPath('actions/');
      const bad = await owner.post(path, { name: '' }, named('k'));
      expect(bad).toMatchObject(refusal(400, 'blank', 'This field may not be blank.', 'name'));
      expect((await owner.post(path, { name: 'Good' }, named('k'))).status).toBe(201);
    });

    it('are forgotten after 24 hours', async () => {
      const owner = await api.owner();
      const path = owner.projectPath('actions/');
      await owner.post(path, { name: 'Old' }, named('k'));
      api.clock.advance({ hours: 23 });
      expect((await owner.post(path, { name: 'New' }, named('k'))).status).toBe(422);
      api.clock.advance({ hours: 1, seconds: 1 });
      expect((await owner.post(path, { name: 'New' }, named('k'))).status).toBe(201);
      expect((await owner.post(path, { name: 'New' }, named('k'))).headers.get('idempotent-replayed')).toBe(
        'true',
      );
      api.clock.advance({ hours: 25 });
      await owner.post(path, { name: 'Last' }, named('last'));
      expect(await api.rows('SELECT key FROM idempotency_keys')).toEqual([{ key: 'last' }]);
    });

    it.each(['', 'x'.repeat(256), 'a b'])('refuse the key %j', async (key) => {
      const owner = await api.owner();
      const answer = await owner.post(owner.projectPath('actions/'), { name: 'A' }, named(key));
      expect(answer).toMatchObject(refusal(400, 'invalid_input', MALFORMED));
    });

    it('check the caller first (D13)', async () => {
      const owner = await api.owner();
      await owner.post(owner.projectPath('actions/'), { name: 'A' }, named('k'));
      const reader = await api.as(owner, { scopes: ['action:read'] });
      expect((await reader.post(owner.projectPath('actions/'), { name: 'A' }, named('k'))).status).toBe(403);
      expect((await api.anyone().post(owner.projectPath('actions/'), { name: 'A' }, named('k'))).status).toBe(
        401,
      );
    });
  });

  describe('with the ETag of what the caller has', () => {
    it('answer 304 while it is the same, and the resource once it is not', async () => {
      const owner = await api.owner();
      const created = await owner.post(owner.projectPath('actions/'), { name: 'Seen' });
      const path = owner.projectPath(`actions/${created.body.id}/`);
      const first = await owner.get(path);
      const tag = first.headers.get('etag') ?? '';
      expect(tag).toMatch(/^"[\w-]{27}"$/);
      for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const same = await owner.get(path, { headers: { 'If-None-Match': header } });
        expect(same.status).toBe(304);
        expect(same.text).toBe('');
        expect(same.headers.get('etag')).toBe(tag);
      }
      const changed = await owner.patch(path, { name: 'Changed' });
      expect(changed.headers.get('etag')).not.toBe(tag);
      const fresh = await owner.get(path, { headers: { 'If-None-Match': tag } });
      expect(fresh.status).toBe(200);
      expect(fresh.body.name).toBe('Changed');
      expect(fresh.headers.get('etag')).toBe(changed.headers.get('etag'));
    });
  });
});
