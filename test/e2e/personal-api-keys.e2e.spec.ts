import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';
import { meanwhile } from '../support/meanwhile';

const KEYS = '/api/personal_api_keys/';
const LABEL = 'Test';
const NOBODY = '0195b1f4-7c1c-7000-8000-0123456789ab';
const UNKNOWN_KEY = refusal(
  401,
  'authentication_failed',
  'Personal API key found in request Authorization header is invalid.',
);
const forbidden = (detail: unknown) => refusal(403, 'permission_denied', detail);
const granting = (scope: string) =>
  forbidden(`API key cannot grant scope '${scope}', which it does not have itself.`);
const MORE_ORGANIZATIONS = forbidden(
  'API key cannot grant more organizations than the scoped_organizations it has itself.',
);
const MORE_PROJECTS = forbidden('API key cannot grant more projects than the scoped_teams it has itself.');
const MORE_TIME = forbidden(
  expect.stringContaining('API key cannot grant access for longer than it has itself, until '),
);

describe('Personal API keys', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api?.stop());

  const path = (key: { id: string }) => `${KEYS}${key.id}/`;
  const create = async (caller: Person, parts: object = {}) => {
    const answer = await caller.post(KEYS, { label: LABEL, scopes: ['action:read'], ...parts });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const ahead = (minutes: number) => new Date(api.clock.now().getTime() + minutes * 60_000).toISOString();
  const me = (value: string) => api.anyone(value).get('/api/users/@me/');

  it('are created, and show their value once (KEY-01, KEY-02, KEY-03)', async () => {
    const created = await owner.post(KEYS, { label: ' Report ', scopes: ['action:read', 'plugin:write'] });
    expect(created.status).toBe(201);
    expect(Object.keys(created.body)).toEqual([
      'id',
      'label',
      'value',
      'mask_value',
      'created_at',
      'last_used_at',
      'last_rolled_at',
      'expires_at',
      'user_id',
      'scopes',
      'scoped_organizations',
      'scoped_teams',
    ]);
    const { value } = created.body;
    expect(value).toMatch(/^phx_[0-9A-Za-z]{40,48}$/);
    expect(created.body).toMatchObject({
      label: 'Report',
      mask_value: `phx_...${value.slice(-4)}`,
      last_used_at: null,
      last_rolled_at: null,
      expires_at: null,
      user_id: owner.user.id,
      scopes: ['action:read', 'plugin:write'],
      scoped_organizations: [],
      scoped_teams: [],
    });
    expect((await me(value)).body.uuid).toBe(owner.user.uuid);
    const answers = [
      await owner.get(path(created.body)),
      await owner.get(KEYS),
      await owner.patch(path(created.body), { label: 'Other', value: 'phx_mine', mask_value: 'x' }),
      await owner.put(path(created.body), created.body),
      await me(value),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toContain(value);
    }
    expect(answers[0]?.body).toEqual({ ...created.body, value: null, last_used_at: expect.any(String) });
    const [row] = await api.rows<{ text: string }>('SELECT k::text FROM personal_api_keys k WHERE id = $1', [
      created.body.id,
    ]);
    expect(JSON.stringify(row)).not.toContain(value);
  });

  it('are created with everything they can have', async () => {
    const expires = ahead(60);
    const created = await create(owner, {
      scopes: ['*', 'action:read', '*'],
      scoped_organizations: [owner.organizationId.toUpperCase(), owner.organizationId],
      scoped_teams: [owner.projectId, owner.projectId],
      expires_at: expires,
    });
    expect(created).toMatchObject({
      scopes: ['*', 'action:read'],
      scoped_organizations: [owner.organizationId],
      scoped_teams: [owner.projectId],
    });
    expect(new Date(created.expires_at)).toEqual(new Date(expires));
  });

  it('are listed newest first, the own ones alone (KEY-10)', async () => {
    const other = await api.member(owner);
    await create(other);
    const labels = ['first', 'second', 'third'];
    for (const label of labels) await create(owner, { label });
    const list = await owner.get(KEYS);
    expect(list.body).toMatchObject({ count: 4, next: null, previous: null });
    expect(list.body.results.map(({ label }: { label: string }) => label)).toEqual([
      'third',
      'second',
      'first',
      'Test',
    ]);
    const page = await owner.get(`${KEYS}?limit=1&offset=1`);
    expect(page.body).toMatchObject({ count: 4, results: [{ label: 'second' }] });
  });

  it('change, all of them or a part (KEY-11)', async () => {
    const key = await create(owner, { scoped_teams: [owner.projectId], expires_at: ahead(60) });
    const changed = await owner.patch(path(key), { label: 'Other' });
    expect(changed).toMatchObject({ status: 200, body: { ...key, label: 'Other', value: null } });
    const put = await owner.put(path(key), { label: 'Third', scopes: ['*'] });
    expect(put.body).toMatchObject({
      label: 'Third',
      scopes: ['*'],
      scoped_teams: [owner.projectId],
      expires_at: key.expires_at,
    });
    const freed = await owner.patch(path(key), { scoped_teams: [], expires_at: null });
    expect(freed.body).toMatchObject({ label: 'Third', scoped_teams: [], expires_at: null });
    expect(await owner.put(path(key), { label: 'Fourth' })).toEqual(
      refusal(400, 'required', 'This field is required.', 'scopes'),
    );
    expect((await owner.patch(path(key), {})).body).toEqual(freed.body);
  });

  it.each<[object, [string, string, string]]>([
    [{ label: undefined }, ['required', 'This field is required.', 'label']],
    [{ label: '' }, ['blank', 'This field may not be blank.', 'label']],
    [{ label: '   ' }, ['blank', 'This field may not be blank.', 'label']],
    [{ label: null }, ['null', 'This field may not be null.', 'label']],
    [{ label: 7 }, ['invalid_input', 'Not a valid string.', 'label']],
    [{ label: 'x'.repeat(41) }, ['max_length', 'Ensure this field has no more than 40 characters.', 'label']],
    [{ scopes: undefined }, ['required', 'This field is required.', 'scopes']],
    [{ scopes: null }, ['null', 'This field may not be null.', 'scopes']],
    [{ scopes: [] }, ['empty', 'This list may not be empty.', 'scopes']],
    [{ scopes: 'action:read' }, ['not_a_list', 'Expected a list of items but got type "str".', 'scopes']],
    [{ scopes: ['*', 'invalid'] }, ['invalid_input', 'Invalid scope: invalid', 'scopes']],
    [{ scopes: ['action:delete'] }, ['invalid_input', 'Invalid scope: action:delete', 'scopes']],
    [{ scopes: [7] }, ['invalid_input', 'Not a valid string.', 'scopes__0']],
    [
      { scopes: Array(10_000).fill('*') },
      ['max_length', 'Ensure this field has no more than 100 elements.', 'scopes'],
    ],
    [{ scoped_organizations: ['x'] }, ['invalid_input', 'Invalid organization UUID', 'scoped_organizations']],
    [{ scoped_organizations: null }, ['null', 'This field may not be null.', 'scoped_organizations']],
    [
      { scoped_organizations: [NOBODY] },
      [
        'invalid_input',
        'You must be a member of all organizations that you are scoping the key to.',
        'scoped_organizations',
      ],
    ],
    [{ scoped_teams: ['x'] }, ['invalid_input', 'A valid integer is required.', 'scoped_teams__0']],
    [
      { scoped_teams: [2_147_483_647] },
      ['invalid_input', 'You must be a member of all teams that you are scoping the key to.', 'scoped_teams'],
    ],
    [
      { expires_at: 'tomorrow' },
      ['invalid_input', expect.stringContaining('Datetime has wrong format.'), 'expires_at'],
    ],
    [
      { expires_at: '2025-01-01T00:00:00Z' },
      ['invalid_input', 'Ensure this time is in the future.', 'expires_at'],
    ],
  ])('are not made of %j (KEY-04, KEY-05, KEY-08)', async (parts, [code, detail, attr]) => {
    const body = { label: LABEL, scopes: ['action:read'], ...parts };
    expect(await owner.post(KEYS, body)).toEqual(refusal(400, code, detail, attr));
    if (code !== 'required') {
      expect(await owner.patch(`${KEYS}@current/`, parts)).toEqual(refusal(400, code, detail, attr));
    }
    expect((await owner.get(KEYS)).body.count).toBe(1);
    expect((await owner.get(`${KEYS}@current/`)).body).toMatchObject({ label: LABEL, scopes: ['*'] });
  });

  it('are not scoped to what is not their user’s (KEY-08)', async () => {
    const stranger = await api.owner();
    const organizations = { scoped_organizations: [owner.organizationId, stranger.organizationId] };
    const teams = { scoped_teams: [owner.projectId, stranger.projectId] };
    for (const [attr, parts] of Object.entries({ organizations, teams })) {
      const detail = `You must be a member of all ${attr} that you are scoping the key to.`;
      const answer = await owner.post(KEYS, { label: LABEL, scopes: ['*'], ...parts });
      expect(answer).toEqual(refusal(400, 'invalid_input', detail, `scoped_${attr}`));
    }
    expect((await owner.get(KEYS)).body.count).toBe(1);
  });

  it('may be sent back whole, though expired and scoped to what was left since', async () => {
    const other = await api.member(await api.owner());
    const key = await create(other, {
      scoped_organizations: [other.organizationId],
      scoped_teams: [other.projectId],
      expires_at: ahead(60),
    });
    await api.rows('DELETE FROM organization_memberships WHERE user_id = $1', [other.user.id]);
    api.clock.advance({ hours: 2 });
    const answer = await other.put(path(key), { ...key, label: 'Other' });
    expect(answer).toMatchObject({ status: 200, body: { ...key, label: 'Other', value: null } });
  });

  it('of others are not there (KEY-11)', async () => {
    const member = await api.member(owner, Level.Admin);
    const key = await create(member);
    for (const url of [path(key), `${KEYS}${NOBODY}/`, `${KEYS}x/`, `${KEYS}@me/`, `${KEYS}1/`]) {
      expect(await owner.get(url)).toEqual(NOT_FOUND());
      expect(await owner.patch(url, { label: 'Mine' })).toEqual(NOT_FOUND());
      expect(await owner.put(url, { label: 'Mine', scopes: ['*'] })).toEqual(NOT_FOUND());
      expect(await owner.delete(url)).toEqual(NOT_FOUND());
      expect(await owner.post(`${url}roll/`)).toEqual(NOT_FOUND());
    }
    expect((await member.get(path(key))).body).toMatchObject({ label: LABEL, last_rolled_at: null });
    expect((await me(key.value)).status).toBe(200);
  });

  describe('need a scope', () => {
    const missing = (scope: string) => forbidden(`API key missing required scope '${scope}'`);

    it('to read, another to change', async () => {
      const target = await create(owner, { scopes: ['personal_api_key:read'] });
      const reader = await api.as(owner, { scopes: ['personal_api_key:read'] });
      expect((await reader.get(KEYS)).status).toBe(200);
      expect((await reader.get(path(target))).status).toBe(200);
      const write = missing('personal_api_key:write');
      for (const url of [path(target), `${KEYS}@current/`]) {
        expect(await reader.patch(url, { label: 'Mine' })).toEqual(write);
        expect(await reader.put(url, {})).toEqual(write);
        expect(await reader.delete(url)).toEqual(write);
        expect(await reader.post(`${url}roll/`)).toEqual(write);
      }
      expect(await reader.post(KEYS, { label: LABEL, scopes: ['personal_api_key:read'] })).toEqual(write);
      const writer = await api.as(owner, { scopes: ['personal_api_key:write'] });
      expect((await writer.get(KEYS)).status).toBe(200);
      expect((await writer.patch(path(target), { label: 'Mine' })).status).toBe(200);
      expect((await writer.delete(path(target))).status).toBe(204);
    });

    it('but a key may read itself with any', async () => {
      const target = await create(owner);
      const key = await create(owner, { scopes: ['action:read'], scoped_teams: [owner.projectId] });
      const caller = api.anyone(key.value);
      for (const id of ['@current', '%40current', key.id, key.id.toUpperCase()]) {
        const answer = await caller.get(`${KEYS}${id}/`);
        expect(answer).toMatchObject({ status: 200, body: { id: key.id, value: null } });
        expect(answer.body.last_used_at).not.toBeNull();
      }
      const read = missing('personal_api_key:read');
      expect(await caller.get(KEYS)).toEqual(read);
      for (const id of [target.id, NOBODY]) expect(await caller.get(`${KEYS}${id}/`)).toEqual(read);
    });
  });

  describe('never give more than they have', () => {
    let caller: Person;
    const scopes = ['personal_api_key:write', 'action:read', 'plugin:write'];

    beforeEach(async () => {
      caller = await api.as(owner, { scopes });
    });

    it('of scopes', async () => {
      for (const scope of ['*', 'action:write', 'organization:read']) {
        expect(await caller.post(KEYS, { label: LABEL, scopes: ['action:read', scope] })).toEqual(
          granting(scope),
        );
        expect(await caller.patch(`${KEYS}@current/`, { scopes: [...scopes, scope] })).toEqual(
          granting(scope),
        );
      }
      const narrow = await create(caller, { scopes: ['plugin:read', 'personal_api_key:read'] });
      expect(await caller.patch(path(narrow), { scopes: ['action:write'] })).toEqual(
        granting('action:write'),
      );
      expect((await caller.patch(path(narrow), { scopes: ['action:read'] })).status).toBe(200);
      expect((await caller.patch(`${KEYS}@current/`, { scopes: scopes.slice(0, 2) })).status).toBe(200);
      expect(await caller.patch(`${KEYS}@current/`, { scopes })).toEqual(granting('plugin:write'));
    });

    it('by way of a wider key, whose value they would get', async () => {
      const wide = await create(owner, { scopes: ['*'] });
      expect(await caller.post(`${path(wide)}roll/`)).toEqual(granting('*'));
      expect(await caller.patch(path(wide), { label: 'Mine' })).toEqual(granting('*'));
      expect(await caller.patch(path(wide), { scopes: ['action:read'] })).toEqual(granting('*'));
      expect(await caller.put(path(wide), { label: 'Mine', scopes: ['action:read'] })).toEqual(granting('*'));
      expect((await me(wide.value)).status).toBe(200);
      expect((await owner.get(path(wide))).body).toMatchObject({ label: LABEL, scopes: ['*'] });
    });

    it('of organizations (D10)', async () => {
      await owner.post('/api/organizations/', { name: 'Second' });
      const { organizations } = (await owner.get('/api/users/@me/')).body;
      const [first, second] = organizations.map(({ id }: { id: string }) => id);
      caller = await api.as(owner, { scopedOrganizations: [first] });
      for (const list of [[], [second], [first, second], undefined]) {
        const body = { label: LABEL, scopes: ['action:read'], scoped_organizations: list };
        expect(await caller.post(KEYS, body)).toEqual(MORE_ORGANIZATIONS);
      }
      for (const list of [[], [second], [first, second]]) {
        const widened = await caller.patch(`${KEYS}@current/`, { scoped_organizations: list });
        expect(widened).toEqual(MORE_ORGANIZATIONS);
      }
      await create(caller, { scoped_organizations: [first] });
      const wide = await create(owner);
      expect(await caller.post(`${path(wide)}roll/`)).toEqual(MORE_ORGANIZATIONS);
      expect(await caller.patch(path(wide), { scoped_organizations: [first] })).toEqual(MORE_ORGANIZATIONS);
    });

    it('of projects', async () => {
      const other = (await owner.post('/api/projects/', { name: 'Other' })).body;
      caller = await api.as(owner, { scopedTeams: [owner.projectId] });
      for (const list of [[], [other.id], [owner.projectId, other.id], undefined]) {
        const body = { label: LABEL, scopes: ['action:read'], scoped_teams: list };
        expect(await caller.post(KEYS, body)).toEqual(MORE_PROJECTS);
      }
      for (const list of [[], [other.id]]) {
        expect(await caller.patch(`${KEYS}@current/`, { scoped_teams: list })).toEqual(MORE_PROJECTS);
      }
      await create(caller, { scoped_teams: [owner.projectId] });
      const wide = await create(owner, { scoped_teams: [other.id] });
      expect(await caller.post(`${path(wide)}roll/`)).toEqual(MORE_PROJECTS);
    });

    it('of time', async () => {
      caller = await api.as(owner, { expiresAt: new Date(ahead(60)) });
      for (const expires_at of [null, ahead(61), undefined]) {
        expect(await caller.post(KEYS, { label: LABEL, scopes: ['*'], expires_at })).toEqual(MORE_TIME);
      }
      expect(await caller.patch(`${KEYS}@current/`, { expires_at: null })).toEqual(MORE_TIME);
      expect(await caller.patch(`${KEYS}@current/`, { expires_at: ahead(61) })).toEqual(MORE_TIME);
      await create(caller, { expires_at: ahead(59) });
      expect(await caller.post(`${path(await create(owner))}roll/`)).toEqual(MORE_TIME);
      expect((await caller.patch(`${KEYS}@current/`, { expires_at: ahead(30) })).status).toBe(200);
    });
  });

  it('get another value by rolling, and show it once', async () => {
    const key = await create(owner);
    const rolled = await owner.post(`${path(key)}roll/`);
    expect(rolled.status).toBe(200);
    const { value, mask_value, last_rolled_at, ...rest } = rolled.body;
    expect(key).toMatchObject(rest);
    expect(value).toMatch(/^phx_/);
    expect(value).not.toBe(key.value);
    expect(mask_value).toBe(`phx_...${value.slice(-4)}`);
    expect(last_rolled_at).not.toBeNull();
    expect(await me(key.value)).toEqual(UNKNOWN_KEY);
    expect((await me(value)).status).toBe(200);
    expect((await owner.get(path(key))).body).toMatchObject({ value: null, mask_value, last_rolled_at });
  });

  it('roll and delete themselves', async () => {
    const key = await create(owner, { scopes: ['personal_api_key:write'] });
    const rolled = await api.anyone(key.value).post(`${KEYS}@current/roll/`);
    expect(rolled.body).toMatchObject({ id: key.id, scopes: ['personal_api_key:write'] });
    const caller = api.anyone(rolled.body.value);
    const deleted = await caller.delete(`${KEYS}@current/`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await caller.get(`${KEYS}@current/`)).toEqual(UNKNOWN_KEY);
    expect(await owner.get(path(key))).toEqual(NOT_FOUND());
  });

  it('stop at once when they are deleted or expire, or their user is deactivated (D11)', async () => {
    const deleted = await create(owner);
    expect((await me(deleted.value)).status).toBe(200);
    expect((await owner.delete(path(deleted))).status).toBe(204);
    expect(await me(deleted.value)).toEqual(UNKNOWN_KEY);
    expect(await owner.delete(path(deleted))).toEqual(NOT_FOUND());

    const expiring = await create(owner, { expires_at: ahead(60) });
    api.clock.advance({ minutes: 59 });
    expect((await me(expiring.value)).status).toBe(200);
    api.clock.advance({ minutes: 1 });
    expect(await me(expiring.value)).toEqual(refusal(401, 'authentication_failed', expect.any(String)));
    await owner.patch(path(expiring), { expires_at: ahead(60) });
    expect((await me(expiring.value)).status).toBe(200);

    await api.rows('UPDATE users SET is_active = false WHERE id = $1', [owner.user.id]);
    expect(await me(expiring.value)).toEqual(refusal(401, 'authentication_failed', expect.any(String)));
  });

  it('note their use, at most once an hour (AUTH-07)', async () => {
    const key = await create(owner);
    const used = async () => {
      await me(key.value);
      return (await owner.get(path(key))).body.last_used_at;
    };
    const first = await used();
    expect(first).not.toBeNull();
    api.clock.advance({ minutes: 59 });
    expect(await used()).toBe(first);
    api.clock.advance({ minutes: 2 });
    expect(new Date(await used()).getTime()).toBeGreaterThan(new Date(first).getTime());
  });

  it('are at most 100, even when 20 are created at once (KEY-07)', async () => {
    await api.rows(
      `INSERT INTO personal_api_keys (id, user_id, label, value_hash, mask_value, scopes, scoped_organizations,
                                      scoped_teams, created_at)
       SELECT gen_random_uuid(), $1, 'Filler', sha256(gen_random_uuid()::text::bytea), 'phx_...0000', '{*}', '{}',
              '{}', now() FROM generate_series(1, 94)`,
      [owner.user.id],
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => owner.post(KEYS, { label: `Key ${n}`, scopes: ['*'] })),
    );
    expect(statuses(answers)).toEqual({ 201: 5, 400: 15 });
    expect(answers.find(({ status }) => status === 400)).toEqual(
      refusal(
        400,
        'invalid_input',
        'You can only have 100 personal API keys. Remove an existing key before creating a new one.',
      ),
    );
    const list = (await owner.get(`${KEYS}?limit=1`)).body;
    expect(list.count).toBe(100);
    expect((await owner.delete(path(list.results[0]))).status).toBe(204);
    await create(owner);
  });

  it.each([
    ['PATCH', '', { label: 'Other' }],
    ['POST', 'roll/', undefined],
    ['DELETE', '', undefined],
  ])(
    'are not there, nor brought back, for a %s while they are being deleted',
    async (method, suffix, body) => {
      const key = await create(owner);
      const answer = await meanwhile(api, 'DELETE FROM personal_api_keys WHERE id = $1', [key.id], () =>
        owner.request(method, path(key) + suffix, { body }),
      );
      expect(answer).toEqual(NOT_FOUND());
      expect((await owner.get(KEYS)).body.count).toBe(1);
    },
  );

  it('that are being narrowed or deleted give what they still have', async () => {
    const key = await create(owner, { scopes: ['*'] });
    const caller = api.anyone(key.value);
    const body = { label: 'Child', scopes: ['*'] };
    const locked = 'WITH held AS (SELECT id FROM users WHERE id = $1 FOR UPDATE)';
    const narrowing = `${locked} UPDATE personal_api_keys SET scopes = '{personal_api_key:write}' FROM held
                        WHERE user_id = held.id AND personal_api_keys.id = $2`;
    const deleting = `${locked} DELETE FROM personal_api_keys USING held
                       WHERE user_id = held.id AND personal_api_keys.id = $2`;
    const values = [owner.user.id, key.id];
    expect(await meanwhile(api, narrowing, values, () => caller.post(KEYS, body))).toEqual(granting('*'));
    expect(
      await meanwhile(api, deleting, values, () =>
        caller.post(KEYS, { label: 'Child', scopes: ['personal_api_key:write'] }),
      ),
    ).toEqual(refusal(401, 'authentication_failed', 'This personal API key has just been deleted.'));
    expect((await owner.get(KEYS)).body.count).toBe(1);
  });

  describe('that are restricted', () => {
    let first: string;
    let second: string;
    let secondProject: number;

    beforeEach(async () => {
      first = owner.organizationId;
      const created = (await owner.post('/api/organizations/', { name: 'Second' })).body;
      second = created.id;
      secondProject = created.teams[0].id;
    });

    it('reach no other organization (AUTH-17, AUTH-19)', async () => {
      const caller = await api.as(owner, { scopedOrganizations: [first] });
      expect((await caller.get(`/api/organizations/${first}/`)).status).toBe(200);
      const refused = forbidden(`API key does not have access to the requested organization: ID ${second}.`);
      expect(await caller.get(`/api/organizations/${second}/`)).toEqual(refused);
      expect(await caller.patch(`/api/organizations/${second}/`, { name: 'Mine' })).toEqual(refused);
      expect(await caller.get('/api/organizations/@current/')).toEqual(refused);
      expect(await caller.get(`/api/projects/${secondProject}/`)).toEqual(refused);
      const list = await caller.get('/api/organizations/');
      expect(list.body.results.map(({ id }: { id: string }) => id)).toEqual([first]);
    });

    it('reach no other project, and no organization when it is to projects (AUTH-18)', async () => {
      const caller = await api.as(owner, { scopedTeams: [owner.projectId] });
      expect((await caller.get(`/api/projects/${owner.projectId}/`)).status).toBe(200);
      expect(await caller.get(`/api/projects/${secondProject}/`)).toEqual(
        forbidden(`API key does not have access to the requested project: ID ${secondProject}.`),
      );
      const refused = forbidden(
        'API keys with scoped projects are only supported on project-based endpoints.',
      );
      expect(await caller.get(`/api/organizations/${first}/`)).toEqual(refused);
      expect(await caller.get('/api/organizations/')).toEqual(refused);
      expect(await caller.get(`/api/organizations/${first}/projects/${owner.projectId}/`)).toEqual(refused);
    });

    it('tell nothing about what is not their user’s: 404 before 403 (D13)', async () => {
      const stranger = await api.owner();
      const caller = await api.as(owner, { scopedOrganizations: [first] });
      expect(await caller.get(`/api/organizations/${stranger.organizationId}/`)).toEqual(NOT_FOUND());
      expect(await caller.get(`/api/projects/${stranger.projectId}/`)).toEqual(NOT_FOUND());
    });

    it('need the scope first (D13)', async () => {
      const caller = await api.as(owner, { scopedOrganizations: [first], scopes: ['action:read'] });
      expect(await caller.get(`/api/organizations/${second}/`)).toEqual(
        forbidden("API key missing required scope 'organization:read'"),
      );
    });
  });
});
