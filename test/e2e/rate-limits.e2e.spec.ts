import { randomUUID } from 'node:crypto';
import { RateLimits } from '../../src/shared/limits/rate-limits';
import { TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';

const FORWARDED = { 'X-Forwarded-For': '203.0.113.7' };

describe('Rate limits', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await TestApi.start({ RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: 'true' });
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api.stop());

  const repeat = async (times: number, ask: () => Promise<Answer>): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (let done = 0; done < times; done += 40) {
      answers.push(...(await Promise.all(Array.from({ length: Math.min(40, times - done) }, ask))));
    }
    return answers;
  };
  const ask = (caller: Client) => () => caller.get('/api/users/@me/');
  const subjectOf = async (caller: Client) => {
    const key = await caller.get('/api/personal_api_keys/@current/');
    return `key ${key.body.id}`;
  };
  const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))];

  it('let a key make 480 requests a minute, and say when there may be more (RATE-01, RATE-02)', async () => {
    const caller = await api.owner();
    const [first] = await repeat(1, ask(caller));
    expect(first?.headers.get('ratelimit-limit')).toBe('480');
    expect(first?.headers.get('ratelimit-remaining')).toBe('479');
    expect(first?.headers.get('ratelimit-policy')).toBe('480;w=60, 4800;w=3600');
    expect(Number(first?.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    expect(statuses(await repeat(479, ask(caller)))).toEqual([200]);

    const refused = await caller.get('/api/users/@me/');
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get('retry-after'));
    expect(Number.isInteger(wait) && wait >= 1 && wait <= 65).toBe(true);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.body).toEqual({
      type: 'throttled_error',
      code: 'throttled',
      detail: `Request was throttled. Expected available in ${wait} second${wait === 1 ? '' : 's'}.`,
      attr: null,
    });

    const other = await api.as(caller, {});
    expect((await other.get('/api/users/@me/')).status).toBe(200);

    api.clock.advance({ seconds: wait });
    expect((await caller.get('/api/users/@me/')).status).toBe(200);
  });

  it('count a path in any case', async () => {
    const caller = await api.owner();
    const [first] = await repeat(1, () => caller.get('/API/Users/@me/'));
    expect(first?.status).toBe(200);
    expect(first?.headers.get('ratelimit-remaining')).toBe('479');
  });

  it('count an hour as well', async () => {
    const caller = await api.owner();
    const start = Math.floor(api.clock.now().getTime() / 60_000) * 60;
    await api.rows('INSERT INTO rate_limit_counts VALUES ($1, 3600, $2, 4794)', [
      await subjectOf(caller),
      start,
    ]);
    const [first] = await repeat(1, ask(caller));
    await api.app.get(RateLimits).sync();
    expect(first?.status).toBe(200);
    expect(statuses(await repeat(3, ask(caller)))).toEqual([200]);
    const last = await caller.get('/api/users/@me/');
    expect(last.status).toBe(200);
    expect(last.headers.get('ratelimit-limit')).toBe('4800');
    expect(last.headers.get('ratelimit-remaining')).toBe('0');
    const refused = await caller.get('/api/users/@me/');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    api.clock.advance({ minutes: 62 });
    expect((await caller.get('/api/users/@me/')).status).toBe(200);
  });

  it('count all keys of a user together as ten, also those that are made and deleted', async () => {
    const caller = await api.owner();
    const start = Math.floor(api.clock.now().getTime() / 60_000) * 60;
    const counted = (requests: number) =>
      api.rows('INSERT INTO rate_limit_counts VALUES ($1, 3600, $2, $3)', [
        `user ${caller.user.id}`,
        start,
        requests,
      ]);
    await counted(47_996);
    await repeat(1, ask(caller));
    await api.app.get(RateLimits).sync();
    for (const _ of [1, 2, 3]) {
      const other = await api.as(caller, {});
      const answer = await other.get('/api/users/@me/');
      expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([200, '479']);
    }
    const refused = await (await api.as(caller, {})).get('/api/users/@me/');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect((await (await api.owner()).get('/api/users/@me/')).status).toBe(200);
  });

  it('do not count what was refused before (RATE-05)', async () => {
    const caller = await api.owner({ scopes: ['action:read'] });
    const denied = () => caller.get('/api/organizations/');
    expect(statuses(await repeat(500, denied))).toEqual([403]);
    expect((await caller.get('/api/users/@me/')).headers.get('ratelimit-remaining')).toBe('479');
  });

  it('are shared by all processes', async () => {
    const caller = await api.owner();
    const other = await api.beside({ RATE_LIMIT_ENABLED: 'true' });
    try {
      const there = other.anyone(caller.key);
      await repeat(300, ask(caller));
      await repeat(100, ask(there));
      for (const { app } of [api, other, api]) await app.get(RateLimits).sync();
      expect((await caller.get('/api/users/@me/')).headers.get('ratelimit-remaining')).toBe('79');
      expect((await there.get('/api/users/@me/')).headers.get('ratelimit-remaining')).toBe('79');
      await repeat(80, ask(caller));
      for (const { app } of [api, other]) await app.get(RateLimits).sync();
      expect((await there.get('/api/users/@me/')).status).toBe(429);
    } finally {
      await other.stop();
    }
  });

  it('count requests without a key by address, IPv6 ones by network', async () => {
    const stranger = api.anyone();
    const from = (address: string) =>
      stranger.get('/api/signup/unknown/', { headers: { 'X-Forwarded-For': address } });
    expect(statuses(await repeat(480, () => from('198.51.100.1')))).toEqual([400]);
    expect((await from('198.51.100.1')).status).toBe(429);
    expect((await from('198.51.100.2')).status).toBe(400);
    expect(statuses(await repeat(480, () => from('2001:db8:1:1::1')))).toEqual([400]);
    expect((await from('2001:db8:1:1:ffff::2')).status).toBe(429);
    expect((await from('2001:db8:1:2::1')).status).toBe(400);
  });

  it('slow down who tries keys, and nobody else at that address', async () => {
    const caller = await api.owner();
    const guess = () => api.anyone(`phx_${randomUUID()}`).get('/api/users/@me/', { headers: FORWARDED });
    const answers = await repeat(31, guess);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30);
    const refused = answers.find(({ status }) => status === 429);
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await caller.get('/api/users/@me/', { headers: FORWARDED })).status).toBe(200);
    api.clock.advance({ seconds: 70 });
    expect((await guess()).status).toBe(401);
  });

  it('leave health alone', async () => {
    const answers = await repeat(500, () => api.anyone().get('/_livez'));
    expect(statuses(answers)).toEqual([200]);
  });

  it('forget what no window counts any more', async () => {
    const caller = await api.owner();
    await repeat(5, ask(caller));
    const limits = api.app.get(RateLimits);
    const counted = async () => {
      await limits.sync();
      const rows = await api.rows<{ requests: number }>(
        'SELECT requests FROM rate_limit_counts WHERE subject = $1',
        [subject],
      );
      return rows.map(({ requests }) => requests);
    };
    const subject = await subjectOf(caller);
    expect((await counted()).reduce((sum, requests) => sum + requests)).toBe(12);
    api.clock.advance({ hours: 3 });
    await repeat(1, ask(caller));
    expect(await counted()).toEqual([1, 1]);
  });

  it('are off unless asked for (RATE-06)', async () => {
    const unlimited = await TestApi.start();
    const caller = await unlimited.owner();
    const answers = await repeat(500, ask(caller));
    expect(statuses(answers)).toEqual([200]);
    expect(answers[0]?.headers.get('ratelimit-limit')).toBeNull();
    await unlimited.stop();
  });
});
