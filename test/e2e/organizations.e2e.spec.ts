import { FirstStart } from '../../src/first-start';
import { Level } from '../../src/shared/domain/level';
import { World } from '../contract/world';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const LIST = '/api/organizations/';
const UUID_V7 = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/;
const LOGO = '0195B1F4-7c1c-7000-8000-0123456789ab';

const forbidden = (detail: string) => refusal(403, 'permission_denied', detail);
const NOT_ADMIN = forbidden('You do not have admin access to this resource.');
const NOT_OWNER = forbidden('Your organization access level is insufficient.');
const SERVER_ERROR = refusal(500, 'error', 'A server error occurred.');

describe('Organizations', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  const own = async () => (await owner.get(owner.path(''))).body;

  /** How many rows each table has. */
  async function rowCounts(): Promise<Record<string, number>> {
    const tables = await api.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
        WHERE relkind IN ('r', 'p') AND nspname = 'public' ORDER BY relname`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      const [row] = await api.rows<{ count: number }>(`SELECT count(*)::int AS count FROM "${name}"`);
      counts[name] = row?.count ?? 0;
    }
    return counts;
  }

  /** While `work` runs, the database refuses to `event` rows of `table`. */
  async function failing(
    event: 'INSERT' | 'DELETE',
    table: string,
    work: () => Promise<void>,
  ): Promise<void> {
    await api.rows(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$",
    );
    await api.rows(`CREATE TRIGGER refuse BEFORE ${event} ON ${table} EXECUTE FUNCTION refuse()`);
    try {
      await work();
    } finally {
      await api.rows('DROP FUNCTION refuse CASCADE');
    }
  }

  it('has the fields of 2.2, with their types, and one of ours (D2, ORG-01, ORG-02)', async () => {
    const fresh = await own();
    expect(fresh).toEqual({
      id: expect.stringMatching(UUID_V7),
      name: expect.stringMatching(/^Organization \d+$/),
      slug: expect.stringMatching(/^organization-\d+$/),
      logo_media_id: null,
      created_at: expect.stringMatching(TIMESTAMP),
      updated_at: expect.stringMatching(TIMESTAMP),
      membership_level: 15,
      plugins_access_level: 6,
      teams: [
        {
          id: owner.projectId,
          uuid: expect.stringMatching(UUID_V7),
          organization: owner.organizationId,
          project_id: owner.projectId,
          api_token: expect.stringMatching(/^phc_[0-9A-Za-z]{30,}$/),
          name: 'Default project',
          completed_snippet_onboarding: false,
          has_completed_onboarding_for: null,
          ingested_event: false,
          is_demo: false,
          timezone: 'UTC',
          access_control: false,
        },
      ],
      available_product_features: [],
      is_member_join_email_enabled: true,
      metadata: '{}',
      customer_id: null,
      enforce_2fa: null,
      member_count: '1',
      max_key_scopes: null,
    });
    expect(Object.keys(fresh)).toEqual([
      ...['id', 'name', 'slug', 'logo_media_id', 'created_at', 'updated_at', 'membership_level'],
      ...['plugins_access_level', 'teams', 'available_product_features', 'is_member_join_email_enabled'],
      ...['metadata', 'customer_id', 'enforce_2fa', 'member_count', 'max_key_scopes'],
    ]);
    const set = { logo_media_id: LOGO, enforce_2fa: true, is_member_join_email_enabled: false };
    expect((await owner.patch(owner.path(''), set)).body).toMatchObject({
      ...set,
      logo_media_id: LOGO.toLowerCase(),
    });
    await api.rows(
      `UPDATE organizations SET customer_id = 'cus_1', metadata = '{"tag": "x"}' WHERE id = $1`,
      [owner.organizationId],
    );
    expect(await own()).toMatchObject({ customer_id: 'cus_1', metadata: '{"tag": "x"}' });
  });

  it('shows the level of whoever asks, and counts active members (ORG-02, ORG-04)', async () => {
    const admin = await api.member(owner, Level.Admin);
    const member = await api.member(owner, Level.Member);
    for (const [person, level] of [
      [owner, 15],
      [admin, 8],
      [member, 1],
    ] as const) {
      const { body } = await person.get(owner.path(''));
      expect(body).toMatchObject({ membership_level: level, member_count: '3' });
      expect((await person.get(LIST)).body.results).toEqual([body]);
      expect((await person.get('/api/organizations/@current/')).body).toEqual(body);
    }
    await api.rows('UPDATE users SET is_active = false WHERE id = $1', [member.user.id]);
    expect((await own()).member_count).toBe('2');
  });

  it('creates, lists, retrieves, changes, replaces and deletes one', async () => {
    const created = await owner.post(LIST, { name: 'Test' });
    expect(created.status).toBe(201);
    const path = `${LIST}${created.body.id}/`;
    expect((await owner.get(LIST)).body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [await own(), created.body],
    });
    expect((await owner.get(path)).body).toEqual(created.body);
    api.clock.advance({ minutes: 1 });
    const changed = await owner.patch(path, { name: 'Other' });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...created.body, name: 'Other', updated_at: changed.body.updated_at },
    ]);
    expect(Date.parse(changed.body.updated_at) - Date.parse(created.body.updated_at)).toBeGreaterThan(59_000);
    const replaced = await owner.put(path, { name: 'Third', enforce_2fa: false });
    expect([replaced.status, replaced.body]).toMatchObject([
      200,
      { name: 'Third', slug: 'test', enforce_2fa: false },
    ]);
    expect((await owner.put(path, { name: 'Third' })).body.enforce_2fa).toBe(false);
    expect(await owner.put(path, { enforce_2fa: true })).toEqual(
      refusal(400, 'required', 'This field is required.', 'name'),
    );
    const deleted = await owner.delete(path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await owner.get(path)).toEqual(NOT_FOUND());
    expect(await owner.delete(path)).toEqual(NOT_FOUND());
    expect((await owner.get(LIST)).body.count).toBe(1);
    api.clock.reset();
  });

  describe('creation', () => {
    it('makes the caller its owner, with one project, and current (ORG-08, ORG-09)', async () => {
      const { body } = await owner.post(LIST, { name: 'Founded' });
      expect(body).toMatchObject({ membership_level: 15, member_count: '1' });
      expect(body.teams.map(({ name }: { name: string }) => name)).toEqual(['Default project']);
      const memberships = await api.rows(
        'SELECT user_id, level FROM organization_memberships WHERE organization_id = $1',
        [body.id],
      );
      expect(memberships).toEqual([{ user_id: owner.user.id, level: 15 }]);
      expect((await owner.get('/api/organizations/@current/')).body.id).toBe(body.id);
      expect((await owner.get('/api/projects/@current/')).body.id).toBe(body.teams[0].id);
    });

    it('has no limit (D15), and ignores what only an operator sets (ORG-11)', async () => {
      for (let index = 0; index < 5; index += 1) {
        const { status, body } = await owner.post(LIST, { name: 'One of many', plugins_access_level: 9 });
        expect([status, body.plugins_access_level]).toEqual([201, 6]);
      }
      expect((await owner.get(LIST)).body.count).toBe(6);
    });

    it('takes all fields, and null where it may be', async () => {
      const set = {
        logo_media_id: LOGO.toLowerCase(),
        is_member_join_email_enabled: false,
        enforce_2fa: true,
      };
      expect((await owner.post(LIST, { name: 'Set', ...set })).body).toMatchObject(set);
      const unset = { logo_media_id: null, enforce_2fa: null };
      expect((await owner.post(LIST, { name: 'Unset', ...unset })).body).toMatchObject(unset);
    });

    it('makes no slug twice (ORG-12)', async () => {
      const slug = async (name: string) => (await owner.post(LIST, { name })).body.slug;
      expect(await slug('Élan Vital!')).toBe('elan-vital');
      expect(await slug('elan vital')).toMatch(/^elan-vital-[a-z]{4}$/);
      expect(await slug('é'.repeat(64))).toBe('e'.repeat(48));
      expect(await slug('E'.repeat(60))).toMatch(/^e{43}-[a-z]{4}$/);
      expect(await slug('日本')).toBe('organization');
    });

    it('makes 20 of one name at once, with 20 slugs', async () => {
      const other = await api.owner();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => (index % 2 ? owner : other).post(LIST, { name: 'Same' })),
      );
      expect(statuses(answers)).toEqual({ 201: 20 });
      const slugs = answers.map(({ body }) => body.slug);
      expect(new Set(slugs).size).toBe(20);
      expect(slugs.filter((slug) => slug === 'same')).toHaveLength(1);
      expect(slugs.filter((slug) => /^same-[a-z]{4}$/.test(slug))).toHaveLength(19);
    });

    it('is undone when it fails half-way', async () => {
      const before = await rowCounts();
      await failing('INSERT', 'projects', async () => {
        expect(await owner.post(LIST, { name: 'Half' })).toEqual(SERVER_ERROR);
      });
      expect(await rowCounts()).toEqual(before);
      expect((await owner.get('/api/organizations/@current/')).body.id).toBe(owner.organizationId);
    });
  });

  it('names the first field that is wrong (ORG-13, ORG-14)', async () => {
    const before = await own();
    const wrong: [string, unknown, string, string][] = [
      ['name', null, 'null', 'This field may not be null.'],
      ['name', '', 'blank', 'This field may not be blank.'],
      ['name', ' \t\n ', 'blank', 'This field may not be blank.'],
      ['name', 5, 'invalid_input', 'Not a valid string.'],
      ['name', ['x'], 'invalid_input', 'Not a valid string.'],
      ['name', 'x'.repeat(65), 'max_length', 'Ensure this field has no more than 64 characters.'],
      ['name', 'x'.repeat(1_000_000), 'max_length', 'Ensure this field has no more than 64 characters.'],
      ['logo_media_id', 'logo', 'invalid_input', 'Must be a valid UUID.'],
      ['logo_media_id', 1, 'invalid_input', 'Must be a valid UUID.'],
      ['is_member_join_email_enabled', null, 'null', 'This field may not be null.'],
      ['is_member_join_email_enabled', 'yes', 'invalid_input', 'Must be a valid boolean.'],
      ['enforce_2fa', 1, 'invalid_input', 'Must be a valid boolean.'],
    ];
    for (const [field, value, code, detail] of wrong) {
      const expected = refusal(400, code, detail, field);
      expect(await owner.post(LIST, { name: 'Fine', [field]: value })).toEqual(expected);
      expect(await owner.patch(owner.path(''), { [field]: value })).toEqual(expected);
      expect(await owner.put(owner.path(''), { name: 'Fine', [field]: value })).toEqual(expected);
    }
    const several = { enforce_2fa: 1, logo_media_id: 1 };
    expect(await owner.post(LIST, several)).toEqual(
      refusal(400, 'required', 'This field is required.', 'name'),
    );
    expect((await owner.patch(owner.path(''), several)).body.attr).toBe('logo_media_id');
    expect(await own()).toEqual(before);
  });

  it('trims a name, and counts its characters (ORG-05)', async () => {
    expect((await owner.patch(owner.path(''), { name: `  ${'🦔'.repeat(64)} ` })).body.name).toBe(
      '🦔'.repeat(64),
    );
  });

  it('changes for administrators and owners (ORG-15 to ORG-18)', async () => {
    const member = await api.member(owner, Level.Member);
    const admin = await api.member(owner, Level.Admin);
    const before = await own();
    for (const change of [
      { name: 'Mine' },
      { enforce_2fa: true },
      { is_member_join_email_enabled: false },
      {},
    ]) {
      expect(await member.patch(owner.path(''), change)).toEqual(NOT_ADMIN);
      expect(await member.put(owner.path(''), { name: 'Mine', ...change })).toEqual(NOT_ADMIN);
    }
    expect(await own()).toEqual(before);
    for (const person of [admin, owner]) {
      const change = { name: 'Theirs', enforce_2fa: true, is_member_join_email_enabled: false };
      const answer = await person.patch(owner.path(''), { ...change, plugins_access_level: 9, slug: 'x' });
      expect([answer.status, answer.body]).toMatchObject([
        200,
        { ...change, plugins_access_level: 6, slug: before.slug },
      ]);
      expect((await person.patch(owner.path(''), { enforce_2fa: null })).body.enforce_2fa).toBeNull();
      expect((await person.put(owner.path(''), { name: 'Put' })).status).toBe(200);
    }
  });

  it('takes the whole object back (D4)', async () => {
    const before = await own();
    for (const answer of [
      await owner.patch(owner.path(''), before),
      await owner.put(owner.path(''), before),
    ]) {
      expect([answer.status, answer.body]).toEqual([200, { ...before, updated_at: answer.body.updated_at }]);
    }
  });

  it('loses no change of 20 at once', async () => {
    const changes = Array.from({ length: 20 }, (_, index) =>
      index % 2 ? { name: `Name ${index}` } : { enforce_2fa: index % 4 === 0 },
    );
    const answers = await Promise.all(changes.map((change) => owner.patch(owner.path(''), change)));
    expect(statuses(answers)).toEqual({ 200: 20 });
    const after = await own();
    expect(after.name).toMatch(/^Name \d+$/);
    expect(typeof after.enforce_2fa).toBe('boolean');
  });

  it('hides the organizations of others (ORG-21, ORG-25)', async () => {
    const stranger = await api.owner();
    const before = await own();
    expect(await stranger.get(owner.path(''))).toEqual(NOT_FOUND());
    expect(await stranger.patch(owner.path(''), { name: 'Mine' })).toEqual(NOT_FOUND());
    expect(await stranger.put(owner.path(''), { name: 'Mine' })).toEqual(NOT_FOUND());
    expect(await stranger.delete(owner.path(''))).toEqual(NOT_FOUND());
    expect((await stranger.get(LIST)).body.results.map(({ id }: { id: string }) => id)).toEqual([
      stranger.organizationId,
    ]);
    expect(await own()).toEqual(before);
  });

  describe('deletion', () => {
    it('is for owners (ORG-20)', async () => {
      const member = await api.member(owner, Level.Member);
      const admin = await api.member(owner, Level.Admin);
      expect(await member.delete(owner.path(''))).toEqual(NOT_ADMIN);
      expect(await admin.delete(owner.path(''))).toEqual(NOT_OWNER);
      expect((await own()).member_count).toBe('3');
      const second = await api.member(owner, Level.Owner);
      expect((await second.delete(owner.path(''))).status).toBe(204);
    });

    it('takes everything under it along, but the people (ORG-19, D22)', async () => {
      const kept = await World.create(api);
      const before = await rowCounts();
      const { owner: founder } = await World.create(api);
      const full = await rowCounts();
      const grown = Object.keys(full).filter((table) => full[table] !== before[table]);
      expect(grown).toEqual(
        expect.arrayContaining([
          ...['actions', 'batch_exports', 'organization_domains', 'organization_invites'],
          ...['organization_memberships', 'organizations', 'plugins', 'projects'],
        ]),
      );
      expect((await founder.delete(founder.path(''))).status).toBe(204);
      const after = await rowCounts();
      const { users, personal_api_keys } = full;
      expect(after).toEqual({ ...before, users, personal_api_keys });
      expect((await founder.get('/api/users/@me/')).body.email).toBe(founder.user.email);
      expect((await kept.owner.get(kept.owner.path('domains/'))).body.count).toBe(1);
    });

    it('is undone when it fails half-way', async () => {
      const { owner: founder } = await World.create(api);
      const before = await rowCounts();
      const organization = (await founder.get(founder.path(''))).body;
      for (const table of [
        'organizations',
        'projects',
        'organization_memberships',
        'organization_domains',
        'actions',
      ]) {
        await failing('DELETE', table, async () => {
          expect(await founder.delete(founder.path(''))).toEqual(SERVER_ERROR);
        });
        expect(await rowCounts()).toEqual(before);
      }
      expect((await founder.get('/api/organizations/@current/')).body).toEqual(organization);
      expect((await founder.delete(founder.path(''))).status).toBe(204);
    });

    it('happens once when it is asked for 20 times', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => owner.delete(owner.path(''))));
      expect(statuses(answers)).toEqual({ 204: 1, 404: 19 });
    });

    it('leaves nothing behind of what is made meanwhile', async () => {
      const { body: other } = await owner.post(LIST, { name: 'Other' });
      const making = Array.from({ length: 20 }, (_, index) =>
        index === 10
          ? owner.delete(owner.path(''))
          : owner.post(owner.path('domains/'), { domain: `d${index}.${owner.organizationId}.com` }),
      );
      const answers = await Promise.all(making);
      expect(answers.filter(({ status }) => ![201, 204, 404].includes(status))).toEqual([]);
      expect(
        await api.rows('SELECT FROM organization_domains WHERE organization_id = $1', [owner.organizationId]),
      ).toEqual([]);
      expect((await owner.get(LIST)).body.results).toEqual([expect.objectContaining({ id: other.id })]);
    });

    it('may be of the last one (ORG-22); then there is nothing to list (ORG-23)', async () => {
      expect((await owner.delete(owner.path(''))).status).toBe(204);
      expect(await owner.get(LIST)).toEqual(
        refusal(404, 'not_found', 'You need to belong to an organization.'),
      );
      const { status, body } = await owner.post(LIST, { name: 'Afresh' });
      expect(status).toBe(201);
      expect((await owner.get(LIST)).body.results).toEqual([body]);
    });
  });
});

describe('The first organization', () => {
  it('is made by the first start, with root access to plugins (D15, D24)', async () => {
    const key = `phx_${'k'.repeat(32)}`;
    const api = await TestApi.start({ BOOTSTRAP_API_KEY: key, BOOTSTRAP_ORGANIZATION: 'First Ltd' });
    try {
      const shown: string[] = [];
      await api.app.get(FirstStart).run((made) => shown.push(made));
      expect(shown).toEqual([]);
      const { body } = await api.anyone(key).get('/api/organizations/@current/');
      expect(body).toMatchObject({
        name: 'First Ltd',
        slug: 'first-ltd',
        membership_level: 15,
        plugins_access_level: 9,
        teams: [{ name: 'Default project' }],
      });
    } finally {
      await api.stop();
    }
  });
});
