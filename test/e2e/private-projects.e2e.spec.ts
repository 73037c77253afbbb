import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { Level } from '../../src/shared/domain/level';
import { type Route, RouteTable } from '../../src/shared/http/route-table';
import { World } from '../contract/world';
import { type Person, TestApi } from '../support/api';
import type { Client } from '../support/client';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';
import { meanwhile } from '../support/meanwhile';
import { ScriptedWriter, takeAll } from '../support/scripted-writer';
import { until } from '../support/server-process';

const PROJECTS = '/api/projects/';
const NOBODY = '0195b1f4-7c1c-7000-8000-0123456789ab';
const ME = '/api/users/@me/';
const KEYS = '/api/personal_api_keys/';
const forbidden = (detail: string) => refusal(403, 'permission_denied', detail);
const NEEDS_ADMIN = forbidden('You do not have admin access to this resource.');
const UNKNOWN_PROJECT = refusal(
  400,
  'invalid_input',
  'Project does not exist on this organization, or it is private and you do not have access to it.',
  'private_project_access',
);
const NO_PROJECT = refusal(404, 'not_found', 'Project not found.');

describe('Private projects', () => {
  let api: TestApi;
  let owner: Person;
  let admin: Person;
  /** Was given nothing. */
  let member: Person;
  /** The private project; the default one, which is older, is open. */
  let secret: { id: number; api_token: string };
  let path: string;
  let emails = 0;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
    admin = await api.member(owner, Level.Admin);
    member = await api.member(owner);
    const made = await owner.post(owner.path('projects/'), { name: 'Secret', access_control: true });
    secret = made.body;
    path = `${PROJECTS}${secret.id}/`;
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api?.stop());

  const accessPath = (person: Person, id = secret.id) => `${PROJECTS}${id}/members/${person.user.uuid}/`;
  const give = async (person: Person, level: 1 | 8 = 1, by: Client = owner) => {
    const answer = await by.put(accessPath(person), { level });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const given = async (level: 1 | 8): Promise<Person> => {
    const person = await api.member(owner);
    await give(person, level);
    return person;
  };
  const ids = ({ body }: { body: { results: { id: number }[] } }) => body.results.map(({ id }) => id);
  const seenBy = async (person: Client) => ids(await person.get(owner.path('projects/')));
  const rows = () =>
    api.rows('SELECT user_id, level FROM project_members WHERE project_id = $1 ORDER BY user_id', [
      secret.id,
    ]);
  const inviteAs = (by: Person, access: unknown, more: object = {}) => {
    emails += 1;
    return by.post(by.path('invites/'), {
      target_email: `guest-${emails}@example.com`,
      private_project_access: access,
      ...more,
    });
  };
  const accept = async (invite: { headers: Headers }, by: Client = api.anyone()) => {
    const [, link] = /\/signup\/(\w+)\/>/.exec(invite.headers.get('link') ?? '') ?? [];
    return by.post(`/api/signup/${link}/`, { first_name: 'Grace' });
  };
  /** The client of somebody who has just signed up. */
  const joined = async (invite: { headers: Headers }): Promise<Client> => {
    const { status, body } = await accept(invite);
    expect(status).toBe(201);
    return api.anyone(body.personal_api_key.value);
  };

  describe('become so by access_control', () => {
    it('which administrators and owners set, when they create one or later', async () => {
      for (const person of [admin, owner]) {
        for (const base of [PROJECTS, owner.path('projects/')]) {
          const made = await person.post(base, { name: 'Hidden', access_control: true });
          expect([made.status, made.body.access_control]).toEqual([201, true]);
          const url = `${base}${made.body.id}/`;
          expect((await person.patch(url, { access_control: false })).body.access_control).toBe(false);
          expect((await person.put(url, { name: 'Hidden', access_control: true })).body).toMatchObject({
            access_control: true,
          });
          // What is left out stays.
          expect((await person.put(url, { name: 'Renamed' })).body.access_control).toBe(true);
          expect((await person.get(url)).body.access_control).toBe(true);
        }
      }
      expect((await owner.post(PROJECTS, { name: 'Open' })).body.access_control).toBe(false);
    });

    it('which members do not, though they may send it back as it is', async () => {
      const lead = await given(8);
      const insider = await given(1);
      const { body: open } = await owner.get(owner.projectPath(''));
      for (const base of [PROJECTS, owner.path('projects/')]) {
        const url = `${base}${owner.projectId}/`;
        for (const person of [member, lead]) {
          expect(await person.patch(url, { name: 'Mine', access_control: true })).toEqual(NEEDS_ADMIN);
          expect(await person.put(url, { name: 'Mine', access_control: true })).toEqual(NEEDS_ADMIN);
          expect(await person.post(base, { name: 'Mine', access_control: true })).toEqual(NEEDS_ADMIN);
        }
        expect((await owner.get(url)).body).toEqual(open);
        for (const person of [lead, insider]) {
          expect(await person.patch(path, { name: 'Mine', access_control: false })).toEqual(NEEDS_ADMIN);
          expect(await person.delete(path)).toEqual(NEEDS_ADMIN);
        }
      }
      expect((await member.put(owner.projectPath(''), { ...open, name: 'Ours' })).status).toBe(200);
      const { body: closed } = await insider.get(path);
      expect((await insider.patch(path, { ...closed, name: 'Ours' })).body).toMatchObject({
        name: 'Ours',
        access_control: true,
      });
    });

    it.each([[null], ['true'], [1], [[]]])('which is not %j', async (access_control) => {
      const [code, detail] =
        access_control === null
          ? ['null', 'This field may not be null.']
          : ['invalid_input', 'Must be a valid boolean.'];
      const refused = refusal(400, code, detail, 'access_control');
      expect(await owner.post(PROJECTS, { name: 'x', access_control })).toEqual(refused);
      expect(await owner.patch(path, { access_control })).toEqual(refused);
      expect(await owner.put(path, { name: 'x', access_control })).toEqual(refused);
    });

    it('and are seen by all once it is false again; what was given is kept meanwhile', async () => {
      const insider = await given(1);
      await owner.patch(path, { access_control: false });
      expect((await member.get(path)).status).toBe(200);
      await owner.patch(path, { access_control: true });
      expect(await member.get(path)).toEqual(NOT_FOUND());
      expect((await insider.get(path)).status).toBe(200);
    });
  });

  describe('are not there for members who were given no access (D13)', () => {
    it('nor is anything in them, by any route and id', async () => {
      const world = await World.create(api);
      const outsider = await api.member(world.owner);
      const insider = await api.member(world.owner);
      await world.owner.patch(world.owner.projectPath(''), { access_control: true });
      await world.owner.put(accessPath(insider, world.owner.projectId), { level: 1 });
      const call = (client: Client, { method, path: route }: Route, to = (url: string) => url) => {
        const url = to(world.path(`${route}/`.replace(/:(\w+)/g, '{$1}')));
        return client.request(method, url, ['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {});
      };
      const isRead = async (route: Route) => {
        for (const person of route.method === 'GET' ? [insider, world.owner] : []) {
          expect({ route, status: (await call(person, route)).status }).toEqual({ route, status: 200 });
        }
      };
      const routes = api.app.get(RouteTable).routes();
      const inProjects = routes.filter(({ tenants }) => tenants.some(({ kind }) => kind === 'project'));
      expect(inProjects.length).toBeGreaterThan(40);
      const mine = `projects/${world.owner.projectId}/`;
      for (const route of inProjects) {
        const hidden = await call(outsider, route);
        expect({ route, hidden }).toEqual({ route, hidden: NOT_FOUND() });
        const unknown = await call(outsider, route, (url) => url.replace(mine, 'projects/2147483647/'));
        expect([unknown.status, unknown.text]).toEqual([hidden.status, hidden.text]);
        const current = await call(outsider, route, (url) => url.replace(mine, 'projects/@current/'));
        expect({ route, status: current.status }).toEqual({ route, status: 404 });
        await isRead(route);
      }
      const ofExports = routes.filter(({ path: route }) =>
        route.startsWith('/api/organizations/:organization_id/batch_exports/:'),
      );
      expect(ofExports.length).toBeGreaterThan(12);
      for (const route of ofExports) {
        const hidden = await call(outsider, route);
        const unknown = await call(outsider, route, (url) =>
          url.replace(/(?<=batch_exports\/)[^/]+/, NOBODY),
        );
        expect({ route, answer: [hidden.status, hidden.text] }).toEqual({
          route,
          answer: [unknown.status, unknown.text],
        });
        // A body that is wrong for any export is told so first.
        expect([400, 404]).toContain(hidden.status);
        await isRead(route);
      }
    });

    it('in lists, of whatever they are', async () => {
      const insider = await given(1);
      const lead = await given(8);
      const all = [owner.projectId, secret.id];
      for (const [person, expected] of [
        [member, [owner.projectId]],
        [insider, all],
        [lead, all],
        [admin, all],
        [owner, all],
      ] as const) {
        for (const base of [PROJECTS, owner.path('projects/')]) {
          const list = await person.get(base);
          expect([ids(list), list.body.count]).toEqual([expected, expected.length]);
        }
        const teams = (organization: { teams: { id: number }[] }) => organization.teams.map(({ id }) => id);
        expect(teams((await person.get(owner.path(''))).body)).toEqual(expected);
        expect(teams((await person.get('/api/organizations/')).body.results[0])).toEqual(expected);
        expect(teams((await person.get(ME)).body.organization)).toEqual(expected);
      }
    });

    it('nor their exports among those of the organization', async () => {
      const body = { name: 'Nightly', interval: 'day', destination: { type: 'NoOp' } };
      const make = async (at: string) => (await owner.post(at, body)).body.id as string;
      const open = await make(owner.projectPath('batch_exports/'));
      const hidden = await make(`${path}batch_exports/`);
      const list = async (person: Person) => {
        const answer = await person.get(owner.path('batch_exports/'));
        return [answer.body.count, answer.body.results.map(({ id }: { id: string }) => id)];
      };
      expect(await list(member)).toEqual([1, [open]]);
      for (const person of [await given(1), admin, owner])
        expect(await list(person)).toEqual([2, [hidden, open]]);
      const before = (await owner.get(owner.path(`batch_exports/${hidden}/`))).body;
      const at = owner.path(`batch_exports/${hidden}/`);
      const filled = { ...body, name: 'Mine' };
      for (const refused of [
        await member.get(at),
        await member.patch(at, filled),
        await member.put(at, filled),
        await member.delete(at),
        await member.post(`${at}pause/`),
        await member.post(`${at}backfills/`, {
          start_at: '2025-01-01T00:00:00Z',
          end_at: '2025-01-02T00:00:00Z',
        }),
      ]) {
        expect(refused).toEqual(NOT_FOUND());
      }
      expect((await owner.get(at)).body).toEqual(before);
    });

    it('nor are they where an export is made under the organization (D16)', async () => {
      const body = { name: 'Nightly', interval: 'day', destination: { type: 'NoOp' } };
      const made = async (person: Person) =>
        (await person.post(owner.path('batch_exports/'), body)).body.team_id;
      const insider = await given(1);
      for (const person of [insider, member]) {
        await api.rows('UPDATE users SET current_project_id = $2 WHERE id = $1', [person.user.id, secret.id]);
      }
      expect(await made(insider)).toBe(secret.id);
      expect(await made(member)).toBe(owner.projectId);
      await owner.patch(owner.projectPath(''), { access_control: true });
      expect(await member.post(owner.path('batch_exports/'), body)).toEqual(
        refusal(400, 'invalid_input', 'The organization has no project whose data could be exported.'),
      );
      expect(await made(insider)).toBe(secret.id);
      // Their current project is elsewhere now: of those that they see, the oldest.
      await insider.post('/api/organizations/', { name: 'Elsewhere' });
      expect(await made(insider)).toBe(secret.id);
      await owner.patch(owner.projectPath(''), { access_control: false });
      await owner.delete(owner.projectPath(''));
      expect((await member.post(owner.path('batch_exports/'), body)).status).toBe(400);
    });

    it('nor the plugins that they use, and what was done to those', async () => {
      const family = owner.path('pipeline_destinations/');
      const plugin = { plugin_type: 'source', name: 'Sender', capabilities: { methods: ['onEvent'] } };
      const { body: installed } = await owner.post(family, plugin);
      const body = { plugin: installed.id, enabled: true };
      const hidden = (await owner.post(`${path}plugin_configs/`, body)).body.id;
      const open = (await owner.post(owner.projectPath('plugin_configs/'), body)).body.id;
      const exporting = async (person: Person) =>
        (await person.preferring.get(`${family}exports_unsubscribe_configs/`)).body.map(
          ({ id }: { id: number }) => id,
        );
      const activity = async (person: Person) => {
        const { results, total_count } = (await person.preferring.get(`${family}activity/`)).body;
        return [total_count, results.map((entry: { activity: string }) => entry.activity)];
      };
      const enabled = ['enabled', 'config_updated'];
      expect([await exporting(member), await activity(member)]).toEqual([
        [open],
        [3, [...enabled, 'installed']],
      ]);
      for (const person of [await given(1), admin, owner]) {
        expect([await exporting(person), await activity(person)]).toEqual([
          [open, hidden],
          [5, [...enabled, ...enabled, 'installed']],
        ]);
      }
      expect(await member.get(`${path}plugin_configs/${hidden}/`)).toEqual(NOT_FOUND());
      expect(await member.get(owner.projectPath(`plugin_configs/${hidden}/`))).toEqual(NOT_FOUND());
    });

    it('nor the actions, in whatever format', async () => {
      const { body: action } = await owner.post(`${path}actions/`, { name: 'Signed up' });
      for (const format of ['', '?format=csv', '?format=json']) {
        for (const url of [`${path}actions/${format}`, `${path}actions/${action.id}/${format}`]) {
          expect(await member.get(url)).toEqual(NOT_FOUND());
          expect((await admin.get(url)).status).toBe(200);
        }
      }
      expect(await member.patch(`${path}actions/${action.id}/`, { name: 'Mine' })).toEqual(NOT_FOUND());
      expect(await member.get(owner.projectPath(`actions/${action.id}/`))).toEqual(NOT_FOUND());
      expect((await owner.get(`${path}actions/${action.id}/`)).body).toEqual(action);
    });

    it('to be entered (ME-04)', async () => {
      const none = (id: number) =>
        refusal(400, 'does_not_exist', `Object with id=${id} does not exist.`, 'set_current_team');
      expect(await member.patch(ME, { set_current_team: secret.id })).toEqual(none(secret.id));
      expect(
        await member.patch(ME, {
          set_current_team: secret.id,
          set_current_organization: owner.organizationId,
        }),
      ).toEqual(none(secret.id));
      expect(await member.patch(ME, { set_current_team: 2_147_483_647 })).toEqual(none(2_147_483_647));
      expect((await member.get(ME)).body.team.id).toBe(owner.projectId);
      expect((await (await given(1)).patch(ME, { set_current_team: secret.id })).body.team.id).toBe(
        secret.id,
      );
    });

    it('to scope a key to (KEY-08)', async () => {
      const body = { label: 'Key', scopes: ['action:read'], scoped_teams: [secret.id] };
      expect(await member.post(KEYS, body)).toEqual(
        refusal(
          400,
          'invalid_input',
          'You must be a member of all teams that you are scoping the key to.',
          'scoped_teams',
        ),
      );
      expect((await (await given(1)).post(KEYS, body)).status).toBe(201);
    });
  });

  describe('leave those who were in them', () => {
    it('in the oldest project that they see, or in none, until they see them again', async () => {
      const insider = await given(1);
      const third = (await owner.post(owner.path('projects/'), { name: 'Third' })).body.id;
      await insider.patch(ME, { set_current_team: third });
      await owner.patch(`${PROJECTS}${third}/`, { access_control: true });
      const current = async () => (await insider.get(ME)).body.team?.id ?? null;
      expect(await current()).toBe(owner.projectId);
      expect((await insider.get(`${PROJECTS}@current/`)).body.id).toBe(owner.projectId);
      expect((await insider.get(`${PROJECTS}@current/actions/`)).status).toBe(200);
      await owner.patch(owner.projectPath(''), { access_control: true });
      expect(await current()).toBe(secret.id);
      await owner.delete(accessPath(insider));
      expect(await current()).toBeNull();
      for (const rest of ['', 'actions/', 'batch_exports/', 'plugin_configs/', 'members/']) {
        expect(await insider.get(`${PROJECTS}@current/${rest}`)).toEqual(NO_PROJECT);
      }
      expect(await insider.get(owner.path('projects/@current/'))).toEqual(NO_PROJECT);
      expect((await insider.get(PROJECTS)).body.count).toBe(0);
      await owner.put(accessPath(insider, third), { level: 1 });
      expect(await current()).toBe(third);
    });

    it('with keys that reach them no more', async () => {
      const { body: open } = await owner.post(owner.path('projects/'), { name: 'Open' });
      const key = await api.as(member, { scopedTeams: [open.id] });
      const url = `${PROJECTS}${open.id}/actions/`;
      expect((await key.get(url)).status).toBe(200);
      await owner.patch(`${PROJECTS}${open.id}/`, { access_control: true });
      expect(await key.get(url)).toEqual(NOT_FOUND());
      expect((await key.get(PROJECTS)).body).toMatchObject({ count: 0, results: [] });
      expect((await key.get(ME)).body.organization.teams.map(({ id }: { id: number }) => id)).toEqual([
        owner.projectId,
      ]);
      // Whether it is there is not told by the restriction either.
      const other = await api.as(member, { scopedTeams: [owner.projectId] });
      expect(await other.get(url)).toEqual(NOT_FOUND());
      await owner.put(accessPath(member, open.id), { level: 1 });
      expect((await key.get(url)).status).toBe(200);
      expect(await other.get(url)).toEqual(
        forbidden(`API key does not have access to the requested project: ID ${open.id}.`),
      );
    });

    it('with what they may do elsewhere, and on every process at once', async () => {
      const insider = await given(1);
      const beside = await api.beside();
      try {
        const there = beside.anyone(insider.key);
        expect((await there.get(path)).status).toBe(200);
        await owner.delete(accessPath(insider));
        expect(await there.get(path)).toEqual(NOT_FOUND());
        expect((await there.get(owner.projectPath('actions/'))).status).toBe(200);
        await give(insider);
        expect((await there.get(path)).status).toBe(200);
      } finally {
        await beside.stop();
      }
    });
  });

  it('take events as before', async () => {
    const event = { api_key: secret.api_token, event: 'seen', distinct_id: 'somebody' };
    expect((await api.anyone().post('/capture/', event)).status).toBe(200);
    expect((await owner.get(path)).body.ingested_event).toBe(true);
  });

  describe('are open to whom access was given', () => {
    it('at a level, which the list shows', async () => {
      const made = await owner.put(accessPath(member), { level: 1 });
      expect(made.status).toBe(200);
      expect(Object.keys(made.body)).toEqual([
        'user',
        'level',
        'effective_level',
        'created_at',
        'updated_at',
      ]);
      expect(made.body).toMatchObject({
        user: { id: member.user.id, uuid: member.user.uuid, email: member.user.email },
        level: 1,
        effective_level: 1,
        created_at: made.body.updated_at,
      });
      api.clock.advance({ minutes: 1 });
      const changed = await owner.patch(accessPath(member), { level: 8 });
      expect(changed.body).toMatchObject({ level: 8, effective_level: 8, created_at: made.body.created_at });
      expect(changed.body.updated_at > made.body.updated_at).toBe(true);
      expect((await owner.patch(accessPath(member), {})).body).toEqual(changed.body);
      expect((await give(admin)).effective_level).toBe(8);
      expect((await give(owner)).effective_level).toBe(15);
      const list = await member.get(`${path}members/?limit=2`);
      expect(list.body).toMatchObject({ count: 3, next: `${api.url}${path}members/?limit=2&offset=2` });
      const emailsOf = (answer: typeof list) =>
        answer.body.results.map(({ user }: { user: { email: string } }) => user.email);
      expect([...emailsOf(list), ...emailsOf(await member.get(`${path}members/?limit=2&offset=2`))]).toEqual([
        owner.user.email,
        admin.user.email,
        member.user.email,
      ]);
      const taken = await owner.delete(accessPath(member));
      expect([taken.status, taken.text]).toEqual([204, '']);
      expect(await owner.delete(accessPath(member))).toEqual(NOT_FOUND());
      expect(await owner.patch(accessPath(member), { level: 1 })).toEqual(NOT_FOUND());
      expect((await owner.get(`${path}members/`)).body.count).toBe(2);
    });

    it('by administrators and owners, and by those of the project; not by others (INV-14)', async () => {
      const lead = await given(8);
      const insider = await given(1);
      const before = await rows();
      for (const call of [
        () => insider.put(accessPath(member), { level: 1 }),
        () => insider.put(accessPath(insider), { level: 8 }),
        () => insider.patch(accessPath(insider), { level: 'x' }),
        () => insider.delete(accessPath(lead)),
        () => member.put(accessPath(member, owner.projectId), { level: 8 }),
        () => member.put(`${owner.projectPath('members/@me/')}`, { level: 8 }),
      ]) {
        expect(await call()).toEqual(NEEDS_ADMIN);
      }
      for (const call of [
        () => member.get(`${path}members/`),
        () => member.put(accessPath(member), { level: 8 }),
        () => member.patch(accessPath(insider), { level: 8 }),
        () => member.delete(accessPath(insider)),
      ]) {
        expect(await call()).toEqual(NOT_FOUND());
      }
      expect(await rows()).toEqual(before);
      expect((await insider.get(`${path}members/`)).body.count).toBe(2);
      expect((await member.get(owner.projectPath('members/'))).body.count).toBe(0);
      for (const person of [lead, admin, owner]) {
        for (const level of [1, 8] as const) await give(member, level, person);
        expect((await member.get(path)).status).toBe(200);
        expect((await person.delete(accessPath(member))).status).toBe(204);
        expect(await member.get(path)).toEqual(NOT_FOUND());
      }
      // Those of the project may go themselves, and are gone at once.
      expect((await lead.delete(`${path}members/@me/`)).status).toBe(204);
      expect(await lead.put(accessPath(lead), { level: 8 })).toEqual(NOT_FOUND());
    });

    it('who are members of the organization', async () => {
      const stranger = await api.owner();
      const inactive = await given(1);
      await api.rows('UPDATE users SET is_active = false WHERE id = $1', [inactive.user.id]);
      expect((await owner.get(`${path}members/`)).body.count).toBe(0);
      const uuids = [
        stranger.user.uuid,
        inactive.user.uuid,
        '0195b1f4-7c1c-7000-8000-0123456789ab',
        'x',
        '1',
      ];
      const before = await rows();
      for (const uuid of uuids) {
        const url = `${path}members/${uuid}/`;
        expect(await owner.put(url, { level: 8 })).toEqual(NOT_FOUND());
        expect(await owner.patch(url, { level: 8 })).toEqual(NOT_FOUND());
        expect(await owner.delete(url)).toEqual(NOT_FOUND());
      }
      expect(await stranger.put(accessPath(stranger), { level: 8 })).toEqual(NOT_FOUND());
      expect(await stranger.get(`${path}members/`)).toEqual(NOT_FOUND());
      expect(await owner.put(accessPath(member, stranger.projectId), { level: 1 })).toEqual(NOT_FOUND());
      expect(await rows()).toEqual(before);
    });

    it.each<[object, [string, string]]>([
      [{}, ['required', 'This field is required.']],
      [{ level: null }, ['null', 'This field may not be null.']],
      [{ level: 15 }, ['invalid_choice', '"15" is not a valid choice.']],
      [{ level: 0 }, ['invalid_choice', '"0" is not a valid choice.']],
      [{ level: '8' }, ['invalid_choice', '"8" is not a valid choice.']],
    ])('not at the level of %j', async (body, [code, detail]) => {
      await give(member);
      expect(await owner.put(accessPath(member), body)).toEqual(refusal(400, code, detail, 'level'));
      if (code !== 'required') {
        expect(await owner.patch(accessPath(member), body)).toEqual(refusal(400, code, detail, 'level'));
      }
      expect(await rows()).toEqual([{ user_id: member.user.id, level: 1 }]);
    });

    it('with a key that may read or write projects', async () => {
      const reader = await api.as(owner, { scopes: ['project:read'] });
      const missing = forbidden("API key missing required scope 'project:write'");
      expect((await reader.get(`${path}members/`)).status).toBe(200);
      expect(await reader.put(accessPath(member), { level: 1 })).toEqual(missing);
      expect(await reader.patch(accessPath(member), { level: 1 })).toEqual(missing);
      expect(await reader.delete(accessPath(member))).toEqual(missing);
      const ofMembers = await api.as(owner, { scopes: ['organization_member:write'] });
      expect(await ofMembers.get(`${path}members/`)).toEqual(
        forbidden("API key missing required scope 'project:read'"),
      );
    });

    it('by no other methods', async () => {
      const one = await owner.post(accessPath(member), { level: 1 });
      expect(one.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'PATCH', 'PUT']);
      const all = await owner.post(`${path}members/`, { level: 1 });
      expect(all.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD']);
    });

    it('once, however often it is given at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => owner.put(accessPath(member), { level: n % 2 === 0 ? 1 : 8 })),
      );
      expect(statuses(answers)).toEqual({ 200: 20 });
      expect(await rows()).toHaveLength(1);
      const takings = await Promise.all(Array.from({ length: 20 }, () => owner.delete(accessPath(member))));
      expect(statuses(takings)).toEqual({ 204: 1, 404: 19 });
    });

    it('not by who is just losing their own', async () => {
      const lead = await given(8);
      const locked = 'WITH held AS (SELECT id FROM projects WHERE id = $1 FOR UPDATE)';
      const losing = `${locked} DELETE FROM project_members USING held WHERE project_id = held.id AND user_id = $2`;
      const lowering = `${locked} UPDATE project_members SET level = 1 FROM held
                         WHERE project_id = held.id AND user_id = $2`;
      const values = [secret.id, lead.user.id];
      const giving = () => lead.put(accessPath(member), { level: 8 });
      expect(await meanwhile(api, lowering, values, giving)).toEqual(NEEDS_ADMIN);
      await give(lead, 8);
      expect(await meanwhile(api, losing, values, giving)).toEqual(NOT_FOUND());
      expect(await rows()).toEqual([]);
    });

    it('not to who is just leaving, nor in what is just being deleted', async () => {
      const leaving = 'DELETE FROM organization_memberships WHERE user_id = $1';
      const put = () => owner.put(accessPath(member), { level: 1 });
      expect(await meanwhile(api, leaving, [member.user.id], put)).toEqual(NOT_FOUND());
      const other = await api.member(owner);
      expect(
        await meanwhile(api, 'DELETE FROM projects WHERE id = $1', [secret.id], () =>
          owner.put(accessPath(other), { level: 1 }),
        ),
      ).toEqual(NOT_FOUND());
      expect(await rows()).toEqual([]);
    });

    it('as long as they are members, and for administrators as long as they are that', async () => {
      const levelOf = (person: Person, level: number) =>
        owner.patch(owner.path(`members/${person.user.uuid}/`), { level });
      await levelOf(admin, 1);
      expect(await admin.get(path)).toEqual(NOT_FOUND());
      await levelOf(member, 8);
      expect((await member.get(path)).status).toBe(200);
      await give(member);
      await levelOf(member, 1);
      expect((await member.get(path)).status).toBe(200);
      await owner.delete(owner.path(`members/${member.user.uuid}/`));
      expect(await rows()).toEqual([]);
      const again = await owner.post(owner.path('invites/'), { target_email: member.user.email });
      expect((await accept(again, member)).status).toBe(201);
      expect(await member.get(path)).toEqual(NOT_FOUND());
      expect(await seenBy(member)).toEqual([owner.projectId]);
    });

    it('and are gone with their access when they are deleted', async () => {
      await give(member);
      expect((await admin.delete(path)).status).toBe(204);
      expect(await rows()).toEqual([]);
    });
  });

  describe('in invites', () => {
    const promise = (level: 1 | 8 = 1, id = secret.id) => [{ id, level }];

    it('are promised by those who give access to them (INV-13 to INV-15)', async () => {
      const lead = await given(8);
      const insider = await given(1);
      for (const person of [owner, admin, lead]) {
        for (const level of [1, 8] as const) {
          const answer = await inviteAs(person, promise(level));
          expect([answer.status, answer.body.private_project_access]).toEqual([201, promise(level)]);
        }
      }
      const before = await api.rows('SELECT id FROM organization_invites WHERE organization_id = $1', [
        owner.organizationId,
      ]);
      for (const person of [insider, member]) {
        expect(await inviteAs(person, promise())).toEqual(UNKNOWN_PROJECT);
        expect(await inviteAs(person, [...promise(1, owner.projectId), ...promise()])).toEqual(
          UNKNOWN_PROJECT,
        );
        const bulk = await person.post(owner.path('invites/bulk/'), [
          { target_email: 'a@example.com' },
          { target_email: 'b@example.com', private_project_access: promise() },
        ]);
        expect(bulk).toEqual(
          refusal(
            400,
            'invalid_input',
            'Project does not exist on this organization, or it is private and you do not have access to it.',
            '1__private_project_access',
          ),
        );
      }
      // A hidden one and one that is nowhere look the same.
      expect(await inviteAs(member, promise(1, 2_000_000_000))).toEqual(UNKNOWN_PROJECT);
      expect(
        await api.rows('SELECT id FROM organization_invites WHERE organization_id = $1', [
          owner.organizationId,
        ]),
      ).toEqual(before);
    });

    it('are shown to those who see them', async () => {
      const { body } = await inviteAs(owner, [...promise(8), ...promise(1, owner.projectId)]);
      const shown = async (person: Person) =>
        (await person.get(owner.path('invites/'))).body.results.find(
          ({ id }: { id: string }) => id === body.id,
        ).private_project_access;
      expect(await shown(member)).toEqual(promise(1, owner.projectId));
      for (const person of [await given(1), admin]) {
        expect(await shown(person)).toEqual([...promise(8), ...promise(1, owner.projectId)]);
      }
    });

    it('are given on joining (SIGN-14)', async () => {
      const lead = await given(8);
      const guest = await joined(await inviteAs(lead, promise(1)));
      expect(await seenBy(guest)).toEqual([owner.projectId, secret.id]);
      expect((await guest.get(`${path}actions/`)).status).toBe(200);
      const second = await joined(await inviteAs(owner, promise(8)));
      expect((await second.put(accessPath(member), { level: 1 })).status).toBe(200);
      const plain = await joined(await inviteAs(owner, []));
      expect(await seenBy(plain)).toEqual([owner.projectId]);
      expect((await plain.get(ME)).body.team.id).toBe(owner.projectId);
      // Who joins with an account that they have, too.
      const stranger = await api.owner();
      const invite = await inviteAs(owner, promise(1), { target_email: stranger.user.email });
      expect((await accept(invite, stranger)).status).toBe(201);
      expect((await stranger.get(path)).status).toBe(200);
    });

    it('lead into the first that the new member sees', async () => {
      await owner.patch(owner.projectPath(''), { access_control: true });
      const team = async (client: Client) => (await client.get(ME)).body.team?.id ?? null;
      expect(await team(await joined(await inviteAs(owner, promise())))).toBe(secret.id);
      expect(await team(await joined(await inviteAs(owner, [])))).toBeNull();
    });

    it('are skipped when they are gone meanwhile (SIGN-14)', async () => {
      const { body: third } = await owner.post(owner.path('projects/'), {
        name: 'Third',
        access_control: true,
      });
      const [first, second] = [
        await inviteAs(owner, [...promise(), ...promise(8, third.id)]),
        await inviteAs(owner, [...promise(), ...promise(8, third.id)]),
      ];
      const { status } = await meanwhile(api, 'DELETE FROM projects WHERE id = $1', [third.id], () =>
        accept(first),
      );
      expect(status).toBe(201);
      expect(await seenBy(await joined(second))).toEqual([owner.projectId, secret.id]);
      expect(await rows()).toHaveLength(2);
    });

    it('are skipped when the inviter gives access to them no more, or never did', async () => {
      const lead = await given(8);
      const early = await inviteAs(lead, promise(8));
      const late = await inviteAs(lead, promise(8));
      await owner.patch(accessPath(lead), { level: 1 });
      expect(await seenBy(await joined(early))).toEqual([owner.projectId]);
      await owner.delete(accessPath(lead));
      expect(await seenBy(await joined(late))).toEqual([owner.projectId]);
      // A member cannot plant access that would outlive the day on which an open project becomes private.
      const planted = await joined(await inviteAs(member, promise(8, owner.projectId)));
      expect(await planted.put(accessPath(member, owner.projectId), { level: 8 })).toEqual(NEEDS_ADMIN);
      await owner.patch(owner.projectPath(''), { access_control: true });
      expect(await planted.get(owner.projectPath(''))).toEqual(NOT_FOUND());
    });

    it('are not taken over by who could not promise them (INV-11)', async () => {
      const target_email = 'combined@example.com';
      await inviteAs(owner, [...promise(8), ...promise(1, owner.projectId)], { target_email });
      const combined = await inviteAs(member, [], { target_email, combine_pending_invites: true });
      expect(combined.body.private_project_access).toEqual(promise(1, owner.projectId));
      expect((await owner.get(owner.path('invites/'))).body.results[0].private_project_access).toEqual(
        promise(1, owner.projectId),
      );
      expect(await seenBy(await joined(combined))).toEqual([owner.projectId]);
    });
  });
});

describe('Private projects, while they are exported', () => {
  it('go on with what runs', async () => {
    const writer = new ScriptedWriter();
    const api = await TestApi.start({ ROLE: 'all' }, [writer.provider]);
    try {
      const owner = await api.owner();
      const member = await api.member(owner);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      writer.script = async (...delivery) => {
        await released;
        await takeAll(...delivery);
      };
      const made = await member.post(owner.projectPath('batch_exports/'), {
        name: 'Hourly',
        interval: 'hour',
        destination: { type: 'NoOp' },
      });
      await api.eventAt(owner.projectId, api.clock.now());
      api.clock.advance({ hours: 1 });
      await api.app.get(Scheduler).tick();
      await until(() => writer.active === 1);
      await owner.patch(owner.projectPath(''), { access_control: true });
      release();
      const runs = async () =>
        (await owner.get(owner.path(`batch_exports/${made.body.id}/runs/`))).body.results;
      await until(async () => (await runs())[0]?.status === 'Completed');
      expect((await runs())[0].records_completed).toBe(1);
      expect(await member.get(owner.path(`batch_exports/${made.body.id}/runs/`))).toEqual(NOT_FOUND());
      api.clock.advance({ hours: 1 });
      await api.app.get(Scheduler).tick();
      await until(async () => (await runs()).length === 2 && (await runs())[0].status === 'Completed');
    } finally {
      await api.stop();
    }
  });
});
