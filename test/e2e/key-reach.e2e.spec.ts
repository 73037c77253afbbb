import { SCOPES } from '../../src/identity/index';
import { Level } from '../../src/shared/domain/level';
import { type Route, RouteTable } from '../../src/shared/http/route-table';
import { World } from '../contract/world';
import { type Person, TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';
import { NOT_FOUND, refusal } from '../support/matchers';

const ME = '/api/users/@me/';
const KEYS = '/api/personal_api_keys/';
const ORGANIZATIONS = '/api/organizations/';
const forbidden = (detail: string) => refusal(403, 'permission_denied', detail);
const NEEDS_ADMIN = forbidden('You do not have admin access to this resource.');
const notAllowed = (scope: string) =>
  forbidden(`The organization does not allow API keys the scope '${scope}'.`);

describe('The keys that reach an organization', () => {
  let api: TestApi;
  let owner: Person;
  let admin: Person;
  let member: Person;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
    api.clock.advance({ seconds: 1 });
    admin = await api.member(owner, Level.Admin);
    api.clock.advance({ seconds: 1 });
    member = await api.member(owner);
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api?.stop());

  const limit = (scopes: unknown, by: Client = owner) => by.patch(owner.path(''), { max_key_scopes: scopes });

  describe('are listed', () => {
    const base = () => owner.path('personal_api_keys/');
    const create = async (person: Person, body: object = {}) => {
      api.clock.advance({ seconds: 1 });
      const answer = await person.post(KEYS, { label: 'Another', scopes: ['action:read'], ...body });
      expect(answer.status).toBe(201);
      return answer.body as { id: string; value: string; mask_value: string };
    };
    const list = async (query = '') => (await owner.get(`${base()}${query}`)).body;
    const find = async ({ id }: { id: string }) =>
      (await list()).results.find((key: { id: string }) => key.id === id) ?? null;

    it('with their owner, label, scopes and use, and never their value', async () => {
      const expires_at = new Date(api.clock.now().getTime() + 3_600_000).toISOString();
      const key = await create(member, {
        label: 'Report',
        scopes: ['action:read', 'plugin:write'],
        expires_at,
      });
      const unused = await find(key);
      expect(Object.keys(unused)).toEqual([
        ...['id', 'user', 'label', 'scopes', 'mask_value', 'created_at', 'last_used_at', 'last_rolled_at'],
        ...['expires_at', 'scoped_organizations', 'scoped_teams'],
      ]);
      expect(unused).toMatchObject({
        user: { id: member.user.id, uuid: member.user.uuid, email: member.user.email },
        label: 'Report',
        scopes: ['action:read', 'plugin:write'],
        mask_value: `phx_...${key.value.slice(-4)}`,
        last_used_at: null,
        last_rolled_at: null,
        scoped_organizations: [],
        scoped_teams: [],
      });
      expect(new Date(unused.expires_at).toISOString()).toBe(expires_at);
      await api.anyone(key.value).get(ME);
      expect((await find(key)).last_used_at).not.toBeNull();
      await member.post(`${KEYS}${key.id}/roll/`);
      expect(await find(key)).toMatchObject({ last_rolled_at: expect.any(String) });
      const { text } = await owner.get(base());
      for (const value of [key.value, owner.key ?? '', member.key ?? '']) expect(text).not.toContain(value);
    });

    it('by member, who joined last first, page by page', async () => {
      const [first, second] = [await create(admin), await create(admin)];
      const { count, results } = await list();
      expect(count).toBe(5);
      const shown = results.map(({ id, user }: { id: string; user: { id: number } }) => [user.id, id]);
      expect(shown.map(([user]: [number]) => user)).toEqual([
        member.user.id,
        ...[admin, admin, admin].map(({ user }) => user.id),
        owner.user.id,
      ]);
      expect(shown.slice(1, 3).map(([, id]: [number, string]) => id)).toEqual([second.id, first.id]);
      const page = await list('?limit=2&offset=1');
      expect(page).toMatchObject({
        count: 5,
        next: `${api.url}${base()}?limit=2&offset=3`,
        results: results.slice(1, 3),
      });
    });

    it('unless they do not reach it', async () => {
      const elsewhere = (await member.post(ORGANIZATIONS, { name: 'Elsewhere' })).body;
      const there = elsewhere.teams[0].id as number;
      const hidden = (await owner.post(owner.path('projects/'), { name: 'Hidden', access_control: true }))
        .body;
      const both = await create(member, { scoped_organizations: [elsewhere.id, owner.organizationId] });
      const inProject = await create(member, { scoped_teams: [there, owner.projectId] });
      const others = [
        await create(member, { scoped_organizations: [elsewhere.id] }),
        await create(member, { scoped_teams: [there] }),
      ];
      // Of what is elsewhere nothing is told.
      expect(await find(both)).toMatchObject({
        scoped_organizations: [owner.organizationId],
        scoped_teams: [],
      });
      expect(await find(inProject)).toMatchObject({
        scoped_organizations: [],
        scoped_teams: [owner.projectId],
      });
      const { text } = await owner.get(base());
      expect(text).not.toContain(elsewhere.id);
      for (const key of others) expect(await find(key)).toBeNull();

      const access = `/api/projects/${hidden.id}/members/${member.user.uuid}/`;
      await owner.put(access, { level: 1 });
      const inHidden = await create(member, { scoped_teams: [hidden.id] });
      expect(await find(inHidden)).toMatchObject({ scoped_teams: [hidden.id] });
      await owner.delete(access);
      expect(await find(inHidden)).toBeNull();

      const expiring = await create(admin, { expires_at: new Date(api.clock.now().getTime() + 60_000) });
      expect(await find(expiring)).not.toBeNull();
      api.clock.advance({ minutes: 1 });
      expect(await find(expiring)).toBeNull();

      const { count } = await list();
      await api.rows('UPDATE users SET is_active = false WHERE id = $1', [admin.user.id]);
      expect((await list()).count).toBe(count - 1);
      await owner.delete(owner.path(`members/${member.user.uuid}/`));
      expect((await list()).results.map(({ user }: { user: { id: number } }) => user.id)).toEqual([
        owner.user.id,
      ]);
    });

    it('to administrators and owners, whose key may read members', async () => {
      const stranger = await api.owner();
      expect((await admin.get(base())).status).toBe(200);
      expect(await member.get(base())).toEqual(NEEDS_ADMIN);
      expect(await stranger.get(base())).toEqual(NOT_FOUND());
      expect(
        await owner.get('/api/organizations/0195b1f4-7c1c-7000-8000-0123456789ab/personal_api_keys/'),
      ).toEqual(NOT_FOUND());
      expect((await (await api.as(owner, { scopes: ['organization_member:read'] })).get(base())).status).toBe(
        200,
      );
      const scopes = SCOPES.filter(
        (scope) => !['*', 'organization_member:read', 'organization_member:write'].includes(scope),
      );
      expect(await (await api.as(owner, { scopes })).get(base())).toEqual(
        forbidden("API key missing required scope 'organization_member:read'"),
      );
      const refused = await owner.post(base(), {});
      expect(refused.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
    });
  });

  describe('have no more than max_key_scopes', () => {
    it('which administrators and owners set, and everybody sees', async () => {
      const before = (await owner.get(owner.path(''))).body;
      expect(before.max_key_scopes).toBeNull();
      const scopes = ['organization:write', 'action:read', 'action:read'];
      const set = await limit(scopes, admin);
      expect([set.status, set.body.max_key_scopes]).toEqual([200, ['organization:write', 'action:read']]);
      expect((await member.get(owner.path(''))).body.max_key_scopes).toEqual(set.body.max_key_scopes);
      expect((await member.get(ME)).body.organization.max_key_scopes).toEqual(set.body.max_key_scopes);
      // What is left out stays; the whole may be sent back.
      expect((await owner.put(owner.path(''), { name: 'Other' })).body).toMatchObject({
        name: 'Other',
        max_key_scopes: set.body.max_key_scopes,
      });
      expect((await owner.put(owner.path(''), set.body)).body.max_key_scopes).toEqual(
        set.body.max_key_scopes,
      );
      expect(await limit(null, member)).toEqual(NEEDS_ADMIN);
      expect((await limit(null)).body.max_key_scopes).toBeNull();
      const founded = await owner.post(ORGANIZATIONS, { name: 'Third', max_key_scopes: ['action:read'] });
      expect([founded.status, founded.body.max_key_scopes]).toEqual([201, ['action:read']]);
      expect(await owner.get(`${ORGANIZATIONS}${founded.body.id}/`)).toEqual(notAllowed('organization:read'));
    });

    it.each<[unknown, [string, string, string]]>([
      [[], ['empty', 'This list may not be empty.', 'max_key_scopes']],
      [['nothing:read'], ['invalid_input', 'Invalid scope: nothing:read', 'max_key_scopes']],
      [['action'], ['invalid_input', 'Invalid scope: action', 'max_key_scopes']],
      [[''], ['blank', 'This field may not be blank.', 'max_key_scopes__0']],
      [
        ['*', 7],
        ['invalid_input', 'Not a valid string.', 'max_key_scopes__1'],
      ],
      ['*', ['not_a_list', 'Expected a list of items but got type "str".', 'max_key_scopes']],
      [
        Array.from({ length: 101 }, () => '*'),
        ['max_length', 'Ensure this field has no more than 100 elements.', 'max_key_scopes'],
      ],
    ])('which are not %j', async (scopes, [code, detail, attr]) => {
      const refused = refusal(400, code, detail, attr);
      expect(await limit(scopes)).toEqual(refused);
      expect(await owner.put(owner.path(''), { name: 'x', max_key_scopes: scopes })).toEqual(refused);
      expect(await owner.post(ORGANIZATIONS, { name: 'x', max_key_scopes: scopes })).toEqual(refused);
      expect((await owner.get(owner.path(''))).body.max_key_scopes).toBeNull();
    });

    it('in any route of the organization and its projects, at any level', async () => {
      const world = await World.create(api);
      const others = [await api.member(world.owner, Level.Admin), await api.member(world.owner)];
      const stranger = await api.owner();
      await world.owner.patch(world.owner.path(''), { max_key_scopes: ['webhook:read'] });
      const call = (client: Client, { method, path }: Route): Promise<Answer> =>
        client.request(method, world.path(`${path}/`.replace(/:(\w+)/g, '{$1}')), {
          ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {}),
        });
      const within = api.app
        .get(RouteTable)
        .routes()
        .flatMap((route) => {
          const inCurrent = route.method === 'POST' && route.path === '/api/projects';
          const { access } = route;
          return typeof access === 'object' && (route.tenants.length > 0 || inCurrent)
            ? [{ route, scope: access.scope }]
            : [];
        });
      expect(within.length).toBeGreaterThan(70);
      for (const { route, scope } of within) {
        const lifts = route.path === '/api/organizations/:id' && ['PATCH', 'PUT'].includes(route.method);
        for (const person of lifts ? others : [world.owner, ...others]) {
          const answer = await call(person, route);
          expect({ route, answer }).toEqual({ route, answer: notAllowed(scope) });
        }
        // The key first, then whether they belong there (D13).
        const scopes = SCOPES.filter(
          (other) => other !== '*' && !other.startsWith(`${scope.split(':')[0]}:`),
        );
        const lacking = await call(await api.as(world.owner, { scopes }), route);
        expect({ route, lacking }).toEqual({
          route,
          lacking: forbidden(`API key missing required scope '${scope}'`),
        });
        if (route.tenants.length > 0) expect(await call(stranger, route)).toEqual(NOT_FOUND());
      }
    });

    it('of which writing implies reading, and * all', async () => {
      const key = await api.as(member, { scopes: ['*'] });
      const actions = owner.projectPath('actions/');
      const { id } = (await owner.post(actions, { name: 'Signed up' })).body;
      const outcomes = async () => [
        (await key.get(actions)).status,
        (await key.patch(`${actions}${id}/`, {})).status,
        (await key.get(owner.path('members/'))).status,
      ];
      expect(await outcomes()).toEqual([200, 200, 200]);
      await limit(['action:read']);
      expect(await outcomes()).toEqual([200, 403, 403]);
      await limit(['action:write']);
      expect(await outcomes()).toEqual([200, 200, 403]);
      await limit(['action:write', 'organization_member:read']);
      expect(await outcomes()).toEqual([200, 200, 200]);
      await limit(['*']);
      expect(await outcomes()).toEqual([200, 200, 200]);
      // A key gets nothing by it that it does not have.
      const reader = await api.as(member, { scopes: ['action:read'] });
      expect(await reader.post(actions, { name: 'x' })).toEqual(
        forbidden("API key missing required scope 'action:write'"),
      );
    });

    it('at once, on every process', async () => {
      const beside = await api.beside();
      try {
        const there = beside.anyone(member.key);
        const path = owner.path('members/');
        expect((await there.get(path)).status).toBe(200);
        await limit(['action:read']);
        expect(await there.get(path)).toEqual(notAllowed('organization_member:read'));
        await beside.anyone(owner.key).patch(owner.path(''), { max_key_scopes: null });
        expect((await there.get(path)).status).toBe(200);
        expect((await member.get(path)).status).toBe(200);
      } finally {
        await beside.stop();
      }
    });

    it('told after what else the key does not reach, and before level and body (D13)', async () => {
      await limit(['action:read']);
      const elsewhere = (await owner.post(ORGANIZATIONS, { name: 'Elsewhere' })).body;
      const restricted = await api.as(owner, { scopedOrganizations: [elsewhere.id] });
      expect(await restricted.get(owner.path('members/'))).toEqual(
        forbidden(`API key does not have access to the requested organization: ID ${owner.organizationId}.`),
      );
      expect(await member.post(owner.path('domains/'), undefined, { raw: '{' })).toEqual(
        notAllowed('organization:write'),
      );
      expect(await member.get(`${ORGANIZATIONS}@current/members/`)).toEqual(
        notAllowed('organization_member:read'),
      );
    });

    it('and can be given more again by owners, whatever it is', async () => {
      await limit(['action:read']);
      expect(await limit(null, admin)).toEqual(notAllowed('organization:write'));
      expect(await owner.get(owner.path(''))).toEqual(notAllowed('organization:read'));
      expect(await owner.delete(owner.path(''))).toEqual(notAllowed('organization:write'));
      const reader = await api.as(owner, { scopes: ['organization:read'] });
      expect(await limit(null, reader)).toEqual(
        forbidden("API key missing required scope 'organization:write'"),
      );
      expect((await limit(['organization:read'])).status).toBe(200);
      expect((await owner.get(owner.path(''))).status).toBe(200);
      expect((await owner.put(owner.path(''), { name: 'Free', max_key_scopes: null })).status).toBe(200);
      expect((await admin.patch(owner.path(''), { name: 'Freed' })).status).toBe(200);
    });

    it('there, and elsewhere what they have', async () => {
      const elsewhere = (await member.post(ORGANIZATIONS, { name: 'Elsewhere' })).body;
      await limit(['action:read']);
      expect((await member.get(`${ORGANIZATIONS}${elsewhere.id}/`)).status).toBe(200);
      expect((await member.get(`${ORGANIZATIONS}${elsewhere.id}/members/`)).status).toBe(200);
      expect((await member.get(ORGANIZATIONS)).body).toMatchObject({
        count: 1,
        results: [{ id: elsewhere.id }],
      });
      expect((await owner.get(ORGANIZATIONS)).body).toMatchObject({ count: 0, results: [] });
      // Where any key will do, no scope is used.
      expect((await member.get('/api/projects/')).body.count).toBe(2);
      expect((await member.get(ME)).body.organizations).toHaveLength(2);
      await member.patch(ME, { set_current_organization: owner.organizationId });
      expect(await member.post('/api/projects/', { name: 'x' })).toEqual(notAllowed('project:write'));
    });

    it('also the key of whoever invites themselves', async () => {
      await limit(['organization_member:write']);
      const inviter = await api.as(member, { scopes: ['organization_member:write'] });
      const invite = await inviter.post(owner.path('invites/'), { target_email: 'myself@example.com' });
      const [, secret] = /\/signup\/(\w+)\/>/.exec(invite.headers.get('link') ?? '') ?? [];
      const { body } = await api.anyone().post(`/api/signup/${secret}/`, { first_name: 'Me' });
      expect(body.personal_api_key.scopes).toEqual(['*']);
      const myself = api.anyone(body.personal_api_key.value);
      expect((await myself.get(owner.path('members/'))).status).toBe(200);
      expect(await myself.get(owner.projectPath('actions/'))).toEqual(notAllowed('action:read'));
      expect(await myself.get(owner.path(''))).toEqual(notAllowed('organization:read'));
    });
  });

  describe('reach it no more, on every process at once, when their user', () => {
    it.each<[string, () => Promise<Answer>]>([
      ['leaves', () => member.delete(owner.path('members/@me/'))],
      ['is removed', () => admin.delete(owner.path(`members/${member.user.uuid}/`))],
    ])('%s', async (_, end) => {
      const beside = await api.beside();
      try {
        const { body: elsewhere } = await member.post(ORGANIZATIONS, { name: 'Elsewhere' });
        const restricted = await api.as(member, { scopedOrganizations: [owner.organizationId] });
        const inProject = await api.as(member, { scopedTeams: [owner.projectId] });
        const calls = [member, restricted, inProject].flatMap(({ key }) =>
          [api, beside].map((server) => server.anyone(key)),
        );
        const actions = owner.projectPath('actions/');
        for (const caller of calls) expect((await caller.get(actions)).status).toBe(200);
        expect((await end()).status).toBe(204);
        for (const caller of calls) {
          expect(await caller.get(actions)).toEqual(NOT_FOUND());
          expect(await caller.get(owner.path('members/'))).toEqual(NOT_FOUND());
          expect(await caller.get(owner.path(''))).toEqual(NOT_FOUND());
          expect((await caller.get('/api/projects/')).text).not.toContain(owner.organizationId);
          expect((await caller.get(ME)).text).not.toContain(owner.organizationId);
        }
        expect((await beside.anyone(member.key).get(`${ORGANIZATIONS}${elsewhere.id}/`)).status).toBe(200);
      } finally {
        await beside.stop();
      }
    });
  });
});
