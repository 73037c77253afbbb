import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';
import { meanwhile } from '../support/meanwhile';

const PROJECTS = '/api/projects/';
const FIELDS = [
  'id',
  'uuid',
  'organization',
  'api_token',
  'name',
  'timezone',
  'is_demo',
  'completed_snippet_onboarding',
  'ingested_event',
  'access_control',
  'created_at',
  'updated_at',
];
const forbidden = (detail: string) => refusal(403, 'permission_denied', detail);
const NEEDS_ADMIN = forbidden('You do not have admin access to this resource.');
const missing = (scope: string) => forbidden(`API key missing required scope '${scope}'`);
const ids = ({ body }: { body: { results: { id: number }[] } }) => body.results.map(({ id }) => id);

describe('Projects', () => {
  let api: TestApi;
  let owner: Person;
  let stranger: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    stranger = await api.owner();
  });
  beforeEach(async () => {
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  const bases = (person: Person) => [PROJECTS, person.path('projects/')];
  const create = async (person: Person, name: string) =>
    (await person.post(person.path('projects/'), { name })).body;
  const second = async (person: Person) => {
    const { body } = await person.post('/api/organizations/', { name: 'Second' });
    return { id: body.id as string, projectId: body.teams[0].id as number };
  };

  it.each([0, 1])('are created, retrieved, changed and deleted at base %i', async (index) => {
    const base = bases(owner)[index] ?? '';
    const created = await owner.post(base, { name: ' Website ', timezone: 'Europe/Berlin' });
    expect(created.status).toBe(201);
    expect(Object.keys(created.body)).toEqual(FIELDS);
    expect(created.body).toMatchObject({
      organization: owner.organizationId,
      api_token: expect.stringMatching(/^phc_[0-9A-Za-z]{40,44}$/),
      name: 'Website',
      timezone: 'Europe/Berlin',
      is_demo: false,
      completed_snippet_onboarding: false,
      ingested_event: false,
      access_control: false,
    });
    const path = `${base}${created.body.id}/`;
    for (const other of bases(owner)) {
      expect((await owner.get(`${other}${created.body.id}/`)).body).toEqual(created.body);
    }
    const changed = await owner.patch(path, { ...created.body, name: 'Shop', api_token: 'mine' });
    const { updated_at, ...rest } = changed.body;
    expect(changed.status).toBe(200);
    expect({ ...created.body, name: 'Shop' }).toMatchObject(rest);
    expect(updated_at > created.body.updated_at).toBe(true);
    expect((await owner.patch(path, { timezone: 'UTC' })).body).toMatchObject({
      name: 'Shop',
      timezone: 'UTC',
    });
    expect((await owner.put(path, { name: 'Third' })).body).toMatchObject({ name: 'Third', timezone: 'UTC' });
    expect(await owner.put(path, { timezone: 'UTC' })).toEqual(
      refusal(400, 'required', 'This field is required.', 'name'),
    );
    const deleted = await owner.delete(path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await owner.get(path)).toEqual(NOT_FOUND());
    expect(await owner.delete(path)).toEqual(NOT_FOUND());
  });

  it('start in UTC, and an organization with one of them (ORG-09)', async () => {
    const list = await owner.get(PROJECTS);
    expect(list.body).toMatchObject({ count: 1, results: [{ name: 'Default project', timezone: 'UTC' }] });
    expect((await create(owner, 'Website')).timezone).toBe('UTC');
  });

  it('leave the current project as it is when they are created', async () => {
    await owner.post(PROJECTS, { name: 'Website' });
    expect((await owner.get(`${PROJECTS}@current/`)).body.id).toBe(owner.projectId);
  });

  it.each<[object, [string, string, string]]>([
    [{ name: undefined }, ['required', 'This field is required.', 'name']],
    [{ name: null }, ['null', 'This field may not be null.', 'name']],
    [{ name: ' ' }, ['blank', 'This field may not be blank.', 'name']],
    [{ name: 'x'.repeat(201) }, ['max_length', 'Ensure this field has no more than 200 characters.', 'name']],
    [{ name: ['x'] }, ['invalid_input', 'Not a valid string.', 'name']],
    [{ name: 'a\0b' }, ['null_characters_not_allowed', 'Null characters are not allowed.', 'name']],
    [{ timezone: null }, ['null', 'This field may not be null.', 'timezone']],
    [{ timezone: '' }, ['blank', 'This field may not be blank.', 'timezone']],
    [{ timezone: 'Mars/Olympus' }, ['invalid_choice', '"Mars/Olympus" is not a valid choice.', 'timezone']],
    [
      { timezone: 'x'.repeat(241) },
      ['max_length', 'Ensure this field has no more than 240 characters.', 'timezone'],
    ],
  ])('are not made of %j', async (parts, [code, detail, attr]) => {
    for (const base of bases(owner)) {
      const body = { name: 'Website', ...parts };
      expect(await owner.post(base, body)).toEqual(refusal(400, code, detail, attr));
      expect(await owner.put(`${base}@current/`, body)).toEqual(refusal(400, code, detail, attr));
      if (code !== 'required') {
        expect(await owner.patch(`${base}@current/`, parts)).toEqual(refusal(400, code, detail, attr));
      }
    }
    const list = await owner.get(PROJECTS);
    expect(list.body).toMatchObject({ count: 1, results: [{ name: 'Default project', timezone: 'UTC' }] });
  });

  it('have names of up to 200 characters, which need not be unique', async () => {
    const name = '🦔'.repeat(200);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => owner.post(owner.path('projects/'), { name })),
    );
    expect(statuses(answers)).toEqual({ 201: 20 });
    expect(new Set(answers.map(({ body }) => body.api_token)).size).toBe(20);
    expect(answers[0]?.body.name).toBe(name);
  });

  describe('are listed', () => {
    it('of all organizations of the caller, oldest first', async () => {
      const other = await second(owner);
      const website = await create(owner, 'Website');
      expect(ids(await owner.get(PROJECTS))).toEqual([owner.projectId, other.projectId, website.id]);
      expect(ids(await owner.get(owner.path('projects/')))).toEqual([owner.projectId, website.id]);
      expect(ids(await owner.get('/api/organizations/@current/projects/'))).toEqual([other.projectId]);
    });

    it('in pages', async () => {
      const website = await create(owner, 'Website');
      for (const base of bases(owner)) {
        const page = await owner.get(`${base}?limit=1`);
        expect(page.body).toMatchObject({
          count: 2,
          next: `${api.url}${base}?limit=1&offset=1`,
          previous: null,
        });
        expect(ids(await owner.get(`${base}?limit=1&offset=1`))).toEqual([website.id]);
        expect(await owner.get(`${base}?limit=0`)).toEqual(
          refusal(400, 'min_value', expect.any(String), 'limit'),
        );
      }
    });

    it('to any key, those that it reaches', async () => {
      const other = await second(owner);
      const website = await create(owner, 'Website');
      const scopes = ['action:read'];
      const plain = await api.as(owner, { scopes });
      expect(ids(await plain.get(PROJECTS))).toEqual([owner.projectId, other.projectId, website.id]);
      const ofFirst = await api.as(owner, { scopes, scopedOrganizations: [owner.organizationId] });
      expect(ids(await ofFirst.get(PROJECTS))).toEqual([owner.projectId, website.id]);
      const scopedTeams = [website.id, other.projectId, stranger.projectId];
      const ofTwo = await api.as(owner, { scopes, scopedTeams });
      expect((await ofTwo.get(PROJECTS)).body.count).toBe(2);
      expect(ids(await ofTwo.get(PROJECTS))).toEqual([other.projectId, website.id]);
      const ofOne = await api.as(owner, {
        scopes,
        scopedTeams,
        scopedOrganizations: [owner.organizationId],
      });
      expect(ids(await ofOne.get(PROJECTS))).toEqual([website.id]);
    });

    it('not at all to somebody without an organization', async () => {
      const nobody = await api.owner();
      await nobody.delete(`/api/organizations/${nobody.organizationId}/`);
      expect((await nobody.get(PROJECTS)).body).toEqual({
        count: 0,
        next: null,
        previous: null,
        results: [],
      });
      expect(await nobody.post(PROJECTS, { name: 'Website' })).toEqual(
        refusal(404, 'not_found', 'You need to belong to an organization.'),
      );
      expect(await nobody.get(`${PROJECTS}@current/`)).toEqual(
        refusal(404, 'not_found', 'Project not found.'),
      );
    });
  });

  it('are created in the current organization', async () => {
    const other = await second(owner);
    expect((await owner.post(PROJECTS, { name: 'Website' })).body.organization).toBe(other.id);
    await owner.patch('/api/users/@me/', { set_current_organization: owner.organizationId });
    expect((await owner.post(PROJECTS, { name: 'Website' })).body.organization).toBe(owner.organizationId);
    const caller = await api.as(owner, { scopedOrganizations: [other.id] });
    expect(await caller.post(PROJECTS, { name: 'Website' })).toEqual(
      forbidden(`API key does not have access to the requested organization: ID ${owner.organizationId}.`),
    );
  });

  it('are `@current` for where the caller is (D14, PROJ-04)', async () => {
    for (const base of [...bases(owner), '/api/organizations/@current/projects/']) {
      expect((await owner.get(`${base}@current/`)).body.id).toBe(owner.projectId);
      expect((await owner.get(`${base}%40current/`)).body.id).toBe(owner.projectId);
    }
    await second(owner);
    // The current project is not in this organization any more.
    expect(await owner.get(owner.path('projects/@current/'))).toEqual(NOT_FOUND());
  });

  it('of others are not there (D13)', async () => {
    const member = await api.member(owner);
    const urls = [
      `${PROJECTS}${stranger.projectId}/`,
      owner.path(`projects/${stranger.projectId}/`),
      stranger.path(`projects/${stranger.projectId}/`),
      stranger.path(`projects/${owner.projectId}/`),
      stranger.path('projects/@current/'),
    ];
    for (const url of urls) {
      for (const caller of [owner, member]) {
        expect(await caller.get(url)).toEqual(NOT_FOUND());
        expect(await caller.patch(url, { name: 'Mine' })).toEqual(NOT_FOUND());
        expect(await caller.put(url, { name: 'Mine' })).toEqual(NOT_FOUND());
        expect(await caller.delete(url)).toEqual(NOT_FOUND());
      }
    }
    expect(await owner.get(stranger.path('projects/'))).toEqual(NOT_FOUND());
    expect(await owner.post(stranger.path('projects/'), { name: 'Mine' })).toEqual(NOT_FOUND());
    const list = await stranger.get(PROJECTS);
    expect(list.body).toMatchObject({ count: 1, results: [{ name: 'Default project' }] });
  });

  it('of another of the caller’s organizations are not under this one', async () => {
    const other = await second(owner);
    const url = owner.path(`projects/${other.projectId}/`);
    expect(await owner.get(url)).toEqual(NOT_FOUND());
    expect(await owner.patch(url, { name: 'Mine' })).toEqual(NOT_FOUND());
    expect(await owner.delete(url)).toEqual(NOT_FOUND());
    const caller = await api.as(owner, { scopedOrganizations: [owner.organizationId] });
    expect(await caller.get(url)).toEqual(NOT_FOUND());
  });

  it.each(['0', '-1', '1.5', 'x', '99999999999', '2147483648', '2147483647', '%00', '@me'])(
    'are not called %s',
    async (id) => {
      for (const base of bases(owner)) {
        expect(await owner.get(`${base}${id}/`)).toEqual(NOT_FOUND());
        expect(await owner.patch(`${base}${id}/`, { name: 'Mine' })).toEqual(NOT_FOUND());
        expect(await owner.delete(`${base}${id}/`)).toEqual(NOT_FOUND());
      }
    },
  );

  it('are created and deleted by administrators and owners, and changed by all (PROJ-05)', async () => {
    const member = await api.member(owner);
    const admin = await api.member(owner, Level.Admin);
    for (const base of bases(owner)) {
      expect(await member.post(base, {})).toEqual(NEEDS_ADMIN);
      const { status, body } = await admin.post(base, { name: 'Website' });
      expect(status).toBe(201);
      expect(await member.delete(`${base}${body.id}/`)).toEqual(NEEDS_ADMIN);
      expect((await member.patch(`${base}${body.id}/`, { name: 'Shop' })).body.name).toBe('Shop');
      expect((await member.put(`${base}${body.id}/`, { name: 'Third' })).body.name).toBe('Third');
      expect((await member.get(`${base}${body.id}/`)).body.name).toBe('Third');
      expect((await admin.delete(`${base}${body.id}/`)).status).toBe(204);
    }
    expect((await owner.get(PROJECTS)).body.count).toBe(1);
  });

  it('need project:read and project:write, but for the list of all', async () => {
    const reader = await api.as(owner, { scopes: ['project:read'] });
    const other = await api.as(owner, { scopes: ['organization:write'] });
    expect((await other.get(PROJECTS)).status).toBe(200);
    expect((await reader.get(owner.path('projects/'))).status).toBe(200);
    expect(await other.get(owner.path('projects/'))).toEqual(missing('project:read'));
    for (const base of bases(owner)) {
      const url = `${base}${owner.projectId}/`;
      expect((await reader.get(url)).status).toBe(200);
      expect(await other.get(url)).toEqual(missing('project:read'));
      expect(await reader.post(base, {})).toEqual(missing('project:write'));
      expect(await reader.patch(url, { name: 'Mine' })).toEqual(missing('project:write'));
      expect(await reader.put(url, {})).toEqual(missing('project:write'));
      expect(await reader.delete(url)).toEqual(missing('project:write'));
    }
    expect((await owner.get(`${PROJECTS}@current/`)).body.name).toBe('Default project');
  });

  it('cannot be used with other methods', async () => {
    for (const base of bases(owner)) {
      const collection = await owner.delete(base);
      expect(collection).toEqual(refusal(405, 'method_not_allowed', 'Method "DELETE" not allowed.'));
      expect(collection.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
      const one = await owner.post(`${base}${owner.projectId}/`, {});
      expect(one.headers.get('allow')?.split(', ').sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']);
    }
  });

  describe('that are deleted', () => {
    const current = async (person: Person) => (await person.get('/api/users/@me/')).body.team?.id ?? null;

    it('leave those who were in them in the oldest one of the organization, or in none', async () => {
      const member = await api.member(owner);
      const other = await create(owner, 'Other');
      const third = await create(owner, 'Third');
      await member.patch('/api/users/@me/', { set_current_team: third.id });
      await owner.delete(`${PROJECTS}${owner.projectId}/`);
      expect([await current(owner), await current(member)]).toEqual([other.id, third.id]);
      await owner.delete(`${PROJECTS}${third.id}/`);
      expect([await current(owner), await current(member)]).toEqual([other.id, other.id]);
      expect((await member.get(`${PROJECTS}@current/`)).body.id).toBe(other.id);
      await owner.delete(`${PROJECTS}@current/`);
      expect([await current(owner), await current(member)]).toEqual([null, null]);
      expect(await member.get(`${PROJECTS}@current/`)).toEqual(
        refusal(404, 'not_found', 'Project not found.'),
      );
      const { body } = await member.get('/api/users/@me/');
      expect(body.organization).toMatchObject({ id: owner.organizationId, teams: [] });
      const fresh = await create(owner, 'Fresh');
      expect([await current(owner), await current(member)]).toEqual([fresh.id, fresh.id]);
    });

    it('leave a key that was restricted to them without any', async () => {
      const other = await create(owner, 'Other');
      const caller = await api.as(owner, { scopedTeams: [other.id] });
      await owner.delete(`${PROJECTS}${other.id}/`);
      expect(ids(await caller.get(PROJECTS))).toEqual([]);
      expect(await caller.get(`${PROJECTS}@current/`)).toEqual(
        forbidden(`API key does not have access to the requested project: ID ${owner.projectId}.`),
      );
    });

    it('take everything in them along, or nothing changes', async () => {
      const other = await create(owner, 'Other');
      await owner.patch('/api/users/@me/', { set_current_team: other.id });
      await api.rows(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`,
      );
      await api.rows(
        `CREATE TRIGGER refuse BEFORE UPDATE ON users FOR EACH ROW
           WHEN (new.current_project_id IS NULL) EXECUTE FUNCTION refuse()`,
      );
      try {
        expect((await owner.delete(`${PROJECTS}${other.id}/`)).status).toBe(500);
      } finally {
        await api.rows('DROP FUNCTION refuse CASCADE');
      }
      expect((await owner.get(`${PROJECTS}@current/`)).body).toEqual(other);
      const references = await api.rows<{ table: string }>(
        `SELECT conrelid::regclass::text AS table FROM pg_constraint
          WHERE confrelid = 'projects'::regclass AND confdeltype NOT IN ('c', 'n')`,
      );
      expect(references).toEqual([]);
    });

    it('are deleted once, whoever enters them meanwhile', async () => {
      const member = await api.member(owner);
      for (let round = 0; round < 5; round += 1) {
        const { id } = await create(owner, 'Other');
        const answers = await Promise.all([
          member.patch('/api/users/@me/', { set_current_team: id }),
          owner.delete(`${PROJECTS}${id}/`),
          owner.patch('/api/users/@me/', { set_current_team: id }),
          owner.delete(`${PROJECTS}${id}/`),
          member.patch(`${PROJECTS}${id}/`, { name: 'Shop' }),
        ]);
        expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
        expect(answers.filter(({ status }) => ![200, 204, 400, 404].includes(status))).toEqual([]);
        expect([await current(owner), await current(member)]).toEqual([owner.projectId, owner.projectId]);
      }
    });

    it('are not made in an organization that is being deleted', async () => {
      const answer = await meanwhile(
        api,
        'DELETE FROM organizations WHERE id = $1',
        [owner.organizationId],
        () => owner.post(owner.path('projects/'), { name: 'Website' }),
      );
      expect(answer).toEqual(NOT_FOUND());
    });

    it('are not changed, nor brought back, while they are being deleted', async () => {
      for (const method of ['PATCH', 'DELETE']) {
        const { id } = await create(owner, 'Other');
        const answer = await meanwhile(api, 'DELETE FROM projects WHERE id = $1', [id], () =>
          owner.request(method, `${PROJECTS}${id}/`, method === 'PATCH' ? { body: { name: 'Shop' } } : {}),
        );
        expect(answer).toEqual(NOT_FOUND());
      }
      expect((await owner.get(PROJECTS)).body.count).toBe(1);
    });
  });
});
