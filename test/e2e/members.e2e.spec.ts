import { MembershipService } from '../../src/membership/index';
import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const ADMINS_ONLY = refusal(403, 'permission_denied', 'You can only edit others if you are an admin.');
const HIGHER = refusal(
  403,
  'permission_denied',
  'You can only edit others with level lower or equal to you.',
);
const OWN_LEVEL = refusal(403, 'permission_denied', "You can't change your own access level.");
const OWNERS_ONLY = refusal(
  403,
  'permission_denied',
  "You can only make another member owner if you're this organization's owner.",
);
const OWNER_STAYS = refusal(400, 'invalid_input', 'Cannot leave the organization as its owner!');

describe('Members', () => {
  let api: TestApi;
  let owner: Person;
  let admin: Person;
  let member: Person;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  beforeEach(async () => {
    owner = await api.owner();
    admin = await api.member(owner, Level.Admin);
    member = await api.member(owner);
  });

  const pathOf = (person: Person) => owner.path(`members/${person.user.uuid}/`);
  const levelsNow = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (
        await api.rows<{ uuid: string; level: number }>(
          `SELECT u.uuid, m.level FROM organization_memberships m JOIN users u ON u.id = m.user_id
            WHERE m.organization_id = $1`,
          [owner.organizationId],
        )
      ).map(({ uuid, level }) => [uuid, level]),
    );

  describe('list', () => {
    const emails = async (query: string) =>
      (await owner.get(owner.path(`members/?${query}`))).body.results.map(
        (item: { user: { email: string } }) => item.user.email,
      );

    it('shows every field of a member (2.7, MEM-02)', async () => {
      const { body } = await member.get(owner.path('members/'));
      expect(body.count).toBe(3);
      expect(body.results[0]).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        user: {
          id: member.user.id,
          uuid: member.user.uuid,
          distinct_id: expect.any(String),
          first_name: 'Max',
          last_name: 'Member',
          email: member.user.email,
          is_email_verified: null,
          hedgehog_config: null,
        },
        level: 1,
        joined_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+(\.\d{6})?Z$/),
        updated_at: expect.stringMatching(/Z$/),
        is_2fa_enabled: false,
        has_social_auth: false,
        last_login: null,
      });
    });

    it('puts who joined last first, page by page (PAGE-07)', async () => {
      expect(await emails('')).toEqual([member.user.email, admin.user.email, owner.user.email]);
      const first = await owner.get(owner.path('members/?limit=2'));
      expect(first.body.results).toHaveLength(2);
      const second = await owner.get(first.body.next.replace(api.url, ''));
      expect(second.body.results).toHaveLength(1);
      expect(second.body.results[0].user.email).toBe(owner.user.email);
    });

    it('sorts as asked, in a total order (MEM-04)', async () => {
      const up = [owner.user.email, admin.user.email, member.user.email];
      const down = [...up].reverse();
      expect(await emails('order=joined_at')).toEqual(up);
      expect(await emails('order=-joined_at')).toEqual(down);
      expect(await emails('order=level')).toEqual(down);
      expect(await emails('order=-level')).toEqual(up);
      api.clock.advance({ minutes: 1 });
      await owner.patch(pathOf(admin), { level: Level.Admin });
      expect(await emails('order=-updated_at')).toEqual([
        admin.user.email,
        member.user.email,
        owner.user.email,
      ]);
      expect((await emails('order=updated_at')).at(-1)).toBe(admin.user.email);
      await api.rows('UPDATE organization_memberships SET joined_at = $2 WHERE organization_id = $1', [
        owner.organizationId,
        new Date(),
      ]);
      const pages = await Promise.all([0, 1, 2].map((offset) => emails(`limit=1&offset=${offset}`)));
      expect(pages.flat().sort()).toEqual([...up].sort());
    });

    it('refuses an order that is not offered', async () => {
      for (const order of ['', 'password', 'joined_at;', '-', 'level&order=-level', '%00']) {
        const answer = await owner.get(owner.path(`members/?order=${order}`));
        expect([answer.status, answer.body.attr]).toEqual([400, 'order']);
      }
    });

    it('narrows by the time of the last change', async () => {
      const since = api.clock.now().toISOString();
      expect(await emails(`updated_after=${since}`)).toEqual([]);
      api.clock.advance({ minutes: 1 });
      await owner.patch(pathOf(member), { level: Level.Admin });
      expect(await emails(`updated_after=${since}`)).toEqual([member.user.email]);
      const answer = await owner.get(owner.path('members/?updated_after=yesterday'));
      expect([answer.status, answer.body.attr]).toEqual([400, 'updated_after']);
    });

    it('narrows by the whole address', async () => {
      expect(await emails(`email=${admin.user.email}`)).toEqual([admin.user.email]);
      expect(await emails(`email=${admin.user.email.toUpperCase()}`)).toEqual([admin.user.email]);
      expect(await emails('email=example.com')).toEqual([]);
      for (const email of ['%00', 'a'.repeat(255), 'a&email=b']) {
        const answer = await owner.get(owner.path(`members/?email=${email}`));
        expect([answer.status, answer.body.attr]).toEqual([400, 'email']);
      }
    });

    it('leaves out deactivated users (MEM-01)', async () => {
      await api.rows('UPDATE users SET is_active = false WHERE id = $1', [member.user.id]);
      expect(await emails('')).toEqual([admin.user.email, owner.user.email]);
      expect(await owner.patch(pathOf(member), { level: 8 })).toEqual(NOT_FOUND());
      expect(await owner.delete(pathOf(member))).toEqual(NOT_FOUND());
      expect((await levelsNow())[member.user.uuid]).toBe(1);
    });
  });

  describe('change of level', () => {
    it('by an owner, and by an administrator up to administrator (MEM-06)', async () => {
      api.clock.advance({ seconds: 5 });
      const answer = await owner.patch(pathOf(member), { level: Level.Admin });
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ level: 8, user: { uuid: member.user.uuid } });
      expect(answer.body.updated_at > answer.body.joined_at).toBe(true);
      expect((await owner.patch(pathOf(member), { level: Level.Member })).body.level).toBe(1);
      expect((await admin.patch(pathOf(member), { level: Level.Admin })).body.level).toBe(8);
    });

    it('counts at once for what the member may do', async () => {
      expect(await member.patch(pathOf(admin), { level: 1 })).toEqual(ADMINS_ONLY);
      await owner.patch(pathOf(member), { level: Level.Admin });
      expect((await member.patch(pathOf(admin), { level: 1 })).status).toBe(200);
      expect(await admin.patch(pathOf(member), { level: 1 })).toEqual(ADMINS_ONLY);
    });

    it('is refused to members, whatever they send (MEM-07, D13)', async () => {
      for (const body of [{ level: 8 }, { level: 99 }, {}, []]) {
        expect(await member.patch(pathOf(admin), body)).toEqual(ADMINS_ONLY);
      }
      expect(await member.put(pathOf(admin), {})).toEqual(ADMINS_ONLY);
      for (const raw of ['{"level":', `"${'x'.repeat(20_000)}`, 'x'.repeat(2_000_000)]) {
        expect(await member.request('PATCH', pathOf(admin), { raw })).toEqual(ADMINS_ONLY);
      }
      const headers = { 'Content-Type': 'text/plain' };
      expect(await member.request('PATCH', pathOf(admin), { raw: '8', headers })).toEqual(ADMINS_ONLY);
    });

    it('is refused for oneself, at any level (MEM-08)', async () => {
      for (const person of [owner, admin, member]) {
        for (const level of [1, 8, 15]) {
          expect(await person.patch(owner.path('members/@me/'), { level })).toEqual(OWN_LEVEL);
          expect(await person.put(pathOf(person), { level })).toEqual(OWN_LEVEL);
        }
      }
    });

    it('makes owners by owners alone, who stay owners (MEM-09, MEM-10)', async () => {
      expect(await admin.patch(pathOf(member), { level: 15 })).toEqual(OWNERS_ONLY);
      expect((await owner.patch(pathOf(member), { level: 15 })).body.level).toBe(15);
      expect(await levelsNow()).toMatchObject({ [owner.user.uuid]: 15, [member.user.uuid]: 15 });
    });

    it('leaves owners to owners (MEM-11, MEM-14)', async () => {
      expect(await admin.patch(pathOf(owner), { level: 1 })).toEqual(HIGHER);
      expect(await admin.patch(pathOf(owner), {})).toEqual(HIGHER);
      const other = await api.member(owner, Level.Owner);
      expect((await other.patch(pathOf(owner), { level: 1 })).status).toBe(200);
      expect(await levelsNow()).toMatchObject({ [owner.user.uuid]: 1, [other.user.uuid]: 15 });
    });

    it('checks the level that is sent (MEM-14)', async () => {
      const bad = (code: string, detail: string) => refusal(400, code, detail, 'level');
      for (const level of [0, 2, 16, -1, 1.5, 2 ** 40]) {
        expect(await owner.patch(pathOf(member), { level })).toEqual(
          bad('invalid_choice', `"${level}" is not a valid choice.`),
        );
      }
      for (const level of ['8', true, [], {}, [8]]) {
        expect((await owner.patch(pathOf(member), { level })).body.attr).toBe('level');
      }
      expect(await owner.patch(pathOf(member), { level: null })).toEqual(
        bad('null', 'This field may not be null.'),
      );
      expect(await owner.put(pathOf(member), {})).toEqual(bad('required', 'This field is required.'));
      expect((await levelsNow())[member.user.uuid]).toBe(1);
    });

    it('changes nothing without a level, on oneself too (MEM-15)', async () => {
      const before = (await owner.get(owner.path('members/'))).body;
      api.clock.advance({ minutes: 1 });
      expect((await owner.patch(pathOf(member), {})).body).toEqual(before.results[0]);
      expect((await member.patch(owner.path('members/@me/'), { user: 1 })).body).toEqual(before.results[0]);
      expect((await owner.get(owner.path('members/'))).body).toEqual(before);
    });

    it('lets one of two owners who demote each other at once win (D19)', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [a, b] = [await api.member(owner, Level.Owner), await api.member(owner, Level.Owner)];
        const answers = await Promise.all([
          a.patch(pathOf(b), { level: 1 }),
          b.patch(pathOf(a), { level: 1 }),
        ]);
        expect(statuses(answers)).toEqual({ 200: 1, 403: 1 });
        const levels = await levelsNow();
        expect([levels[a.user.uuid], levels[b.user.uuid]].sort()).toEqual([1, 15]);
      }
    });
  });

  describe('removal', () => {
    it('is for administrators; members leave (MEM-16, MEM-17)', async () => {
      const other = await api.member(owner);
      expect(await member.delete(pathOf(other))).toEqual(ADMINS_ONLY);
      const removed = await admin.delete(pathOf(other));
      expect([removed.status, removed.text]).toEqual([204, '']);
      expect((await member.delete(owner.path('members/@me/'))).status).toBe(204);
      expect(Object.keys(await levelsNow()).sort()).toEqual([owner.user.uuid, admin.user.uuid].sort());
      expect(await admin.delete(pathOf(other))).toEqual(NOT_FOUND());
    });

    it('is never that of an owner (MEM-11, MEM-18, D19)', async () => {
      expect(await owner.delete(owner.path('members/@me/'))).toEqual(OWNER_STAYS);
      expect(await owner.delete(pathOf(owner))).toEqual(OWNER_STAYS);
      const other = await api.member(owner, Level.Owner);
      expect(await other.delete(pathOf(owner))).toEqual(OWNER_STAYS);
      expect(await admin.delete(pathOf(owner))).toEqual(HIGHER);
      expect((await levelsNow())[owner.user.uuid]).toBe(15);
      await owner.patch(pathOf(other), { level: 1 });
      expect((await owner.delete(pathOf(other))).status).toBe(204);
    });

    it('ends what the user’s keys reach, at once', async () => {
      expect((await member.get(owner.path('members/'))).status).toBe(200);
      await owner.delete(pathOf(member));
      expect(await member.get(owner.path('members/'))).toEqual(NOT_FOUND());
      expect(await member.get(`/api/organizations/${owner.organizationId}/`)).toEqual(NOT_FOUND());
    });

    it('moves the user to the first organization they still belong to (MEM-19)', async () => {
      const [first, second] = [await api.owner(), await api.owner()];
      for (const { organizationId } of [first, second]) {
        await api.rows(
          `INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
           VALUES (gen_random_uuid(), $1, $2, 1, $3, $3)`,
          [organizationId, member.user.id, api.clock.now()],
        );
        api.clock.advance({ seconds: 1 });
      }
      await owner.delete(pathOf(member));
      const current = await member.get('/api/organizations/@current/');
      expect(current.body.id).toBe(first.organizationId);
      expect((await member.delete('/api/organizations/@current/members/@me/')).status).toBe(204);
      expect((await member.get('/api/organizations/@current/')).body.id).toBe(second.organizationId);
      expect((await member.delete('/api/organizations/@current/members/@me/')).status).toBe(204);
      expect((await member.get('/api/organizations/@current/')).status).toBe(404);
      const [user] = await api.rows(
        'SELECT current_organization_id, current_project_id FROM users WHERE id = $1',
        [member.user.id],
      );
      expect(user).toEqual({ current_organization_id: null, current_project_id: null });
    });

    it('leaves a user where they are when that is another organization', async () => {
      const [home, first] = [await api.owner(), await api.owner()];
      for (const { organizationId } of [first, owner]) {
        await api.rows(
          `INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
           VALUES (gen_random_uuid(), $1, $2, 1, '2000-01-01', '2000-01-01')`,
          [organizationId, home.user.id],
        );
      }
      expect((await owner.delete(pathOf(home))).status).toBe(204);
      expect((await home.get('/api/organizations/@current/')).body.id).toBe(home.organizationId);
    });

    it('happens once when asked twice at once', async () => {
      const answers = await Promise.all([owner.delete(pathOf(member)), admin.delete(pathOf(member))]);
      expect(statuses(answers)).toEqual({ 204: 1, 404: 1 });
    });
  });

  it('are members once, however often they join at once', async () => {
    const stranger = await api.owner();
    const joins = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        api.app.get(MembershipService).join(owner.organizationId, stranger.user.id, Level.Member),
      ),
    );
    const refused = joins.flatMap((join) => (join.status === 'rejected' ? [join.reason] : []));
    expect(refused).toHaveLength(19);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'user_already_member' });
    expect((await levelsNow())[stranger.user.uuid]).toBe(1);
  });

  describe('out of reach', () => {
    it('has no operation for one member', async () => {
      const answer = await owner.get(pathOf(member));
      expect(answer).toEqual(refusal(405, 'method_not_allowed', 'Method "GET" not allowed.'));
      expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'PATCH', 'PUT']);
    });

    it('is the organization of others, whether it exists or not (D13)', async () => {
      const stranger = await api.owner();
      const nowhere = '/api/organizations/0195b1f4-7c1c-7000-8000-0123456789ab/members/';
      for (const base of [owner.path('members/'), nowhere]) {
        expect(await stranger.get(base)).toEqual(NOT_FOUND());
        for (const person of [member, stranger]) {
          expect(await stranger.patch(`${base}${person.user.uuid}/`, { level: 8 })).toEqual(NOT_FOUND());
          expect(await stranger.put(`${base}${person.user.uuid}/`, { level: 8 })).toEqual(NOT_FOUND());
          expect(await stranger.delete(`${base}${person.user.uuid}/`)).toEqual(NOT_FOUND());
        }
        expect(await stranger.delete(`${base}@me/`)).toEqual(NOT_FOUND());
      }
      expect(Object.keys(await levelsNow())).toHaveLength(3);
    });

    it('is whoever is no member (MEM-21)', async () => {
      const stranger = await api.owner();
      const strangers = [stranger.user.uuid, '0195b1f4-7c1c-7000-8000-0123456789ab', 'x', '1', '@you', '%00'];
      for (const uuid of strangers) {
        expect(await owner.patch(owner.path(`members/${uuid}/`), { level: 8 })).toEqual(NOT_FOUND());
        expect(await owner.delete(owner.path(`members/${uuid}/`))).toEqual(NOT_FOUND());
      }
      expect((await stranger.get(stranger.path('members/'))).body.results[0].level).toBe(15);
    });

    it('needs the scopes of members', async () => {
      const reader = await api.as(owner, { scopes: ['organization_member:read', 'organization:write'] });
      expect((await reader.get(owner.path('members/'))).status).toBe(200);
      const missing = refusal(
        403,
        'permission_denied',
        "API key missing required scope 'organization_member:write'",
      );
      expect(await reader.patch(pathOf(member), { level: 8 })).toEqual(missing);
      expect(await reader.put(pathOf(member), { level: 8 })).toEqual(missing);
      expect(await reader.delete(pathOf(member))).toEqual(missing);
      const writer = await api.as(owner, { scopes: ['organization_member:write'] });
      expect((await writer.put(pathOf(member), { level: 8 })).body.level).toBe(8);
      expect((await api.anyone().get(owner.path('members/'))).status).toBe(401);
    });
  });
});
