import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { AuthenticationService } from '../../src/identity/authentication.service';
import type { Principal } from '../../src/identity/principal';
import { Transaction } from '../../src/shared/persistence/transaction';
import { type Person, TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';
import { refusal } from '../support/matchers';

const ME = '/api/users/@me/';
const UNKNOWN = refusal(
  401,
  'authentication_failed',
  'Personal API key found in request Authorization header is invalid.',
);

/** Ends the statement that waits for what the open transaction has locked. */
const CANCEL_WHO_WAITS = `
  SELECT pg_cancel_backend(pid) FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`;

describe('Keys that are checked together', () => {
  let api: TestApi;
  let authentication: AuthenticationService;

  beforeAll(async () => {
    api = await TestApi.start();
    authentication = api.app.get(AuthenticationService);
  });
  afterEach(() => api?.clock.reset());
  afterAll(() => api?.stop());

  const principalOf = async ({ key }: Client, project: number | 'current' | null = null) =>
    (await authentication.principalOf(key ?? '', project)) as Principal;

  /** How many statements `work` has executed outside of transactions, which take a connection each. */
  async function statementsOf(work: () => Promise<unknown>): Promise<number> {
    const pool = (api.app.get(DataSource).driver as unknown as { master: Pool }).master;
    let count = 0;
    const add = () => {
      count += 1;
    };
    pool.on('acquire', add);
    try {
      await work();
    } finally {
      pool.off('acquire', add);
    }
    return count;
  }

  describe('of many who call at once', () => {
    /** Those who call, and what they ask for. */
    const requests: (readonly [Client, string])[] = [];

    beforeAll(async () => {
      const expiresAt = new Date(api.clock.now().getTime() + 60_000);
      const owners = await Promise.all([api.owner(), api.owner(), api.owner()]);
      const [first, second] = owners as [Person, Person, Person];
      const callers: Client[] = [...owners, api.anyone('phx_wrong'), api.anyone('phx_wrong, too')];
      for (const owner of owners) {
        const { body: further } = await owner.post('/api/projects/', { name: 'Further' });
        const [revoked, deactivated] = [await api.as(owner, {}), await api.member(owner)];
        expect((await revoked.delete('/api/personal_api_keys/@current/')).status).toBe(204);
        await api.rows('UPDATE users SET is_active = false WHERE id = $1', [deactivated.user.id]);
        callers.push(
          revoked,
          deactivated,
          await api.member(owner),
          await api.as(owner, { expiresAt }),
          await api.as(owner, { scopes: ['project:read'] }),
          await api.as(owner, { scopedOrganizations: [first.organizationId] }),
          await api.as(owner, { scopedTeams: [further.id] }),
        );
      }
      const paths = [
        ME,
        '/api/organizations/',
        '/api/organizations/@current/',
        first.path(''),
        '/api/projects/@current/',
        '/api/projects/0/',
        ...owners.map(({ projectId }) => `/api/projects/${projectId}/`),
        second.projectPath('actions/'),
      ];
      for (const path of paths) for (const caller of callers) requests.push([caller, path]);
      // Their first use is noted, which takes a statement more.
      for (const caller of callers) await principalOf(caller);
    });
    beforeEach(() => api.clock.advance({ minutes: 30 }));

    it('let each in as it would alone, and tell each their own, in fewer statements', async () => {
      const facts = ({ status, text, headers }: Answer) => [
        status,
        text,
        headers.get('www-authenticate'),
        headers.get('etag'),
      ];
      const alone: unknown[] = [];
      const oneByOne = await statementsOf(async () => {
        for (const [caller, path] of requests) alone.push(facts(await caller.get(path)));
      });
      expect(requests.length).toBeGreaterThan(200);
      const statuses = new Set(alone.map((answer) => (answer as unknown[])[0]));
      expect([...statuses].sort()).toEqual([200, 401, 403, 404]);
      const together = async () => {
        const answers = await Promise.all(requests.map(([caller, path]) => caller.get(path)));
        expect(answers.map(facts)).toEqual(alone);
      };
      // At first they have to be connected, which is done one after the other.
      await together();
      expect(await statementsOf(together)).toBeLessThan(oneByOne);
    });

    it('tell principals apart by key and by project', async () => {
      const asked = requests.flatMap(([{ key }], place) =>
        [null, 'current' as const, place % 7].map((project) => [key ?? '', project] as const),
      );
      const alone: unknown[] = [];
      for (const [key, project] of asked) alone.push(await authentication.principalOf(key, project));
      const together = asked.map(([key, project]) => authentication.principalOf(key, project));
      expect(await Promise.all(together)).toEqual(alone);
    });
  });

  it('are one statement for each hundred of them, the same key for the same project once', async () => {
    const owner = await api.owner();
    await principalOf(owner);
    const ask = (count: number) =>
      statementsOf(() =>
        Promise.all([
          ...Array.from({ length: count - 2 }, (_, i) => authentication.principalOf(`wrong ${i}`, null)),
          ...Array.from({ length: 10 }, () => principalOf(owner)),
          ...Array.from({ length: 10 }, () => principalOf(owner, owner.projectId)),
        ]),
      );
    expect(await ask(100)).toBe(1);
    expect(await ask(101)).toBe(2);
    expect(await ask(250)).toBe(3);
  });

  it('are noted as used once, whatever they are used for (AUTH-07)', async () => {
    const owner = await api.owner();
    const projects = [null, 'current' as const, owner.projectId, null, owner.projectId];
    const all = () => Promise.all(projects.map((project) => principalOf(owner, project)));
    expect(await statementsOf(all)).toBe(2);
    expect(await statementsOf(all)).toBe(1);
  });

  it('do not wait for the use of another to be noted, nor fail with it', async () => {
    const [stale, fresh] = [await api.owner(), await api.owner()];
    await principalOf(fresh);
    await api.app.get(Transaction).run(async () => {
      await api.rows('UPDATE personal_api_keys SET label = label WHERE user_id = $1', [stale.user.id]);
      const [waiting, answered] = [principalOf(stale), principalOf(fresh)];
      expect((await answered).userId).toBe(fresh.user.id);
      const failed = expect(waiting).rejects.toMatchObject({ code: '57014' });
      while ((await api.rows(CANCEL_WHO_WAITS)).length === 0);
      await failed;
    });
    expect((await principalOf(stale)).userId).toBe(stale.user.id);
  });

  it('let nobody in whose key an answered request has deleted, while others call (D11)', async () => {
    const others = await Promise.all([api.owner(), api.owner(), api.owner()]);
    for (let round = 0; round < 15; round += 1) {
      const [owner] = others as [Person, ...Person[]];
      const doomed = await api.as(owner, {});
      const calls = (callers: Client[]) =>
        Array.from({ length: 8 }, () => callers.map((caller) => caller.get(ME))).flat();
      const [before, tries] = [calls(others), calls([doomed])];
      expect((await doomed.delete('/api/personal_api_keys/@current/')).status).toBe(204);
      const refused = Array.from({ length: 5 }, () => doomed.get(ME));
      const meanwhile = calls(others);
      for (const answer of await Promise.all(refused)) expect(answer).toEqual(UNKNOWN);
      for (const [place, answer] of (await Promise.all([...before, ...meanwhile])).entries()) {
        expect(answer.body.email).toBe(others[place % others.length]?.user.email);
      }
      for (const { status } of await Promise.all(tries)) expect([200, 401]).toContain(status);
    }
  });

  it('are seen as they are for everybody, not as in a transaction of who asks first', async () => {
    const [one, other] = [await api.owner(), await api.owner()];
    await Promise.all([principalOf(one), principalOf(other)]);
    const undone = new Error('undone');
    const transaction = api.app.get(Transaction).run(async () => {
      await api.rows('DELETE FROM personal_api_keys WHERE user_id = ANY ($1)', [
        [one.user.id, other.user.id],
      ]);
      expect((await principalOf(one)).userId).toBe(one.user.id);
      throw undone;
    });
    await expect(transaction).rejects.toBe(undone);
  });
});
