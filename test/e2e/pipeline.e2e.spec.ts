import { Logger } from '@nestjs/common';
import { PluginsAccess } from '../../src/shared/domain/level';
import { SecretBox } from '../../src/shared/secrets/secret-box';
import { type Person, TestApi } from '../support/api';
import type { Answer, Client } from '../support/client';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';
import { PluginHostServer, shaOf } from '../support/plugin-host-server';
import { packed } from '../support/tarball';

const FAMILIES = [
  'pipeline_destinations',
  'pipeline_frontend_apps',
  'pipeline_import_apps',
  'pipeline_transformations',
] as const;

const READS = ['activity/', 'exports_unsubscribe_configs/', 'repository/', 'unused/'];
const INSUFFICIENT = refusal(
  403,
  'permission_denied',
  "Your organization's plugin access level is insufficient.",
);
const NO_ROOT = refusal(403, 'permission_denied', "This organization can't manage global plugins!");
const OTHERS = refusal(
  403,
  'permission_denied',
  'This plugin installation is managed by another organization',
);

const atOnce = (calls: (() => Promise<Answer>)[]) => Promise.all(calls.map((call) => call()));

let hosts: PluginHostServer;
let repositories = 0;
/** An address that no other test installs, of a plugin without code. */
const newUrl = () => {
  repositories += 1;
  const repository = `hedgerow/plugin-${repositories}`;
  const commit = shaOf(repository);
  const manifest = JSON.stringify({ name: `Plugin ${repositories}` });
  hosts.github(repository, { HEAD: commit }, { [commit]: packed({ 'plugin.json': manifest }) });
  return `https://github.com/${repository}`;
};

describe('Pipeline plugins', () => {
  let api: TestApi;
  let root: Person;
  let owner: Person;
  let stranger: Person;

  beforeAll(async () => {
    hosts = await PluginHostServer.start();
    api = await TestApi.start(hosts.env);
    root = await api.owner({ pluginsAccessLevel: PluginsAccess.Root });
    owner = await api.owner();
    stranger = await api.owner();
  });
  afterAll(async () => {
    await api.stop();
    await hosts.stop();
  });

  const restrict = (person: Person, level: PluginsAccess) =>
    api.rows('UPDATE organizations SET plugins_access_level = $2 WHERE id = $1', [
      person.organizationId,
      level,
    ]);
  const activityOf = async (person: Person, base: string, itemId: number) => {
    const { body } = await person.preferring.get(person.path(`${base}activity/?limit=100`));
    return body.results.filter((entry: { item_id: string }) => entry.item_id === String(itemId));
  };

  describe.each(FAMILIES)('%s', (family) => {
    const base = `${family}/`;
    const other = `${FAMILIES[(FAMILIES.indexOf(family) + 1) % 4]}/`;
    const install = async (person: Person, body: object = {}) => {
      const answer = await person.post(person.path(base), { plugin_type: 'source', ...body });
      expect(answer.status).toBe(201);
      return answer.body;
    };
    /** Every operation on one plugin, with a body that would change it; deleting it is the last. */
    const onOne = (person: Client, organization: Person, id: number, path = base) => {
      const one = organization.path(`${path}${id}/`);
      return [
        () => person.get(one),
        () => person.get(`${one}check_for_updates/`),
        () => person.get(`${one}source/`),
        () => person.patch(one, { name: 'Changed' }),
        () => person.put(one, { name: 'Changed' }),
        () => person.patch(`${one}update_source/`, { 'a.ts': 'changed' }),
        () => person.post(`${one}upgrade/`, {}),
        () => person.delete(one),
      ];
    };
    const onAll = (person: Client, organization: Person) => [
      () => person.get(organization.path(base)),
      () => person.post(organization.path(base), { plugin_type: 'local' }),
      ...READS.map((read) => () => person.get(organization.path(base + read))),
    ];

    it('answers every operation of the reference (4.6)', async () => {
      const person = await api.owner();
      const created = await person.post(person.path(base), { plugin_type: 'local' });
      expect(created.status).toBe(201);
      const { id } = created.body;
      const list = await person.get(person.path(`${base}?limit=10&offset=0`));
      expect(list.body).toMatchObject({ next: null, previous: null });
      expect(list.body.results).toContainEqual(created.body);
      const one = person.path(`${base}${id}/`);
      expect(await person.get(one)).toMatchObject({ status: 200, body: created.body });
      expect(await person.patch(one, { name: 'A' })).toMatchObject({ status: 200, body: { name: 'A' } });
      expect(await person.put(one, { tag: 'v1' })).toMatchObject({
        status: 200,
        body: { name: 'A', tag: 'v1' },
      });
      const bodiless = await Promise.all([
        person.get(`${one}check_for_updates/`),
        person.get(`${one}source/`),
        person.patch(`${one}update_source/`, {}),
        person.post(`${one}upgrade/`, {}),
        person.post(`${one}upgrade/`),
        ...READS.map((read) => person.get(person.path(base + read))),
      ]);
      for (const answer of bodiless) {
        expect([answer.status, answer.text]).toEqual([200, '']);
        expect(answer.headers.get('content-length')).toBe('0');
        expect(answer.headers.get('content-type')).toBeNull();
      }
      const gone = await person.delete(one);
      expect([gone.status, gone.text]).toEqual([204, '']);
      expect(await person.get(one)).toEqual(NOT_FOUND());
    });

    it('answers the custom operations on request (PLUG-22, 27..30)', async () => {
      const person = await api.owner();
      const plugin = await install(person, { url: newUrl() });
      const one = person.path(`${base}${plugin.id}/`);
      const updates = await person.preferring.get(`${one}check_for_updates/`);
      expect(updates.body).toEqual({ plugin });
      expect(updates.headers.get('preference-applied')).toBe('return=representation');
      expect((await person.preferring.get(`${one}source/`)).body).toEqual({
        'plugin.json': JSON.stringify({ name: plugin.name }),
      });
      expect((await person.preferring.post(`${one}upgrade/`, { name: 'Ignored' })).body).toEqual(plugin);
      expect((await person.preferring.post(`${one}upgrade/`, [1])).body).toEqual(plugin);
      const local = await install(person, {});
      const unused = await person.preferring.get(person.path(`${base}unused/`));
      expect(unused.body).toEqual(expect.arrayContaining([plugin.id, local.id]));
      const exporting = await person.preferring.get(person.path(`${base}exports_unsubscribe_configs/`));
      expect(exporting.body).toEqual([]);
    });

    it('has the fields, types and defaults of the reference (2.8, PLUG-07, PLUG-08)', async () => {
      const person = await api.owner({ name: 'Fields Ltd' });
      expect(await install(person, { name: 'myplugin' })).toEqual({
        id: expect.any(Number),
        plugin_type: 'source',
        name: 'myplugin',
        description: null,
        url: null,
        icon: null,
        config_schema: {},
        tag: null,
        latest_tag: null,
        is_global: false,
        organization_id: person.organizationId,
        organization_name: 'Fields Ltd',
        capabilities: {},
        metrics: {},
        public_jobs: {},
        hog_function_migration_available: 'false',
      });
      const given = {
        plugin_type: 'inline',
        name: '',
        description: 'What it does',
        icon: 'https://example.com/i.png',
        config_schema: [{ key: 'a', nested: { deep: [1, null, 'é'] } }],
        tag: 'v1',
        capabilities: { methods: ['onEvent'] },
        metrics: null,
        public_jobs: { go: {} },
      };
      const { id } = await install(person, given);
      const one = person.path(`${base}${id}/`);
      expect((await person.get(one)).body).toMatchObject(given);
      const nulls = {
        config_schema: null,
        capabilities: null,
        public_jobs: null,
        plugin_type: null,
        name: null,
      };
      expect((await person.patch(one, nulls)).body).toMatchObject({ ...given, ...nulls });
      expect((await person.post(person.path(base), {})).body).toMatchObject({
        plugin_type: null,
        name: null,
      });
    });

    it('keeps plugins in the family of their path (D17)', async () => {
      const person = await api.owner();
      const { id } = await install(person, { capabilities: { methods: ['processEvent'] } });
      for (const answer of await atOnce(onOne(person, person, id, other))) {
        expect(answer).toEqual(NOT_FOUND());
      }
      expect((await person.get(person.path(`${base}${id}/`))).body.name).toBeNull();
      const listed = (await person.get(person.path(other))).body.results;
      expect(listed.map((plugin: { id: number }) => plugin.id)).not.toContain(id);
      expect((await person.preferring.get(person.path(`${other}unused/`))).body).not.toContain(id);
      expect(await activityOf(person, other, id)).toEqual([]);
    });

    it('is closed to other organizations (PLUG-16, PLUG-20)', async () => {
      const { id } = await install(owner, { name: 'Mine' });
      const answers = await atOnce([
        ...onOne(stranger, stranger, id),
        ...onOne(stranger, owner, id),
        ...onAll(stranger, owner),
      ]);
      for (const answer of answers) expect(answer).toEqual(NOT_FOUND());
      expect((await owner.get(owner.path(`${base}${id}/`))).body.name).toBe('Mine');
      expect((await owner.preferring.get(owner.path(`${base}${id}/source/`))).body).toEqual({});
      const listed = (await stranger.get(stranger.path(base))).body.results;
      expect(listed.map((plugin: { id: number }) => plugin.id)).not.toContain(id);
      expect((await stranger.preferring.get(stranger.path(`${base}unused/`))).body).not.toContain(id);
    });

    it('shows global plugins to all, and lets their organization alone manage them (PLUG-14..21, PLUG-26)', async () => {
      expect(await owner.post(owner.path(base), { is_global: true })).toEqual(NO_ROOT);
      const { id } = await install(root, { name: 'Global', is_global: true });
      const theirs = owner.path(`${base}${id}/`);
      expect(await owner.get(theirs)).toMatchObject({ status: 200, body: { is_global: true } });
      const listed = (await owner.get(owner.path(base))).body.results;
      expect(listed.map((plugin: { id: number }) => plugin.id)).toContain(id);
      expect((await owner.preferring.get(owner.path(`${base}unused/`))).body).toContain(id);
      expect(await owner.get(owner.path(`${other}${id}/`))).toEqual(NOT_FOUND());
      expect(await owner.patch(theirs, { description: 'x' })).toEqual(OTHERS);
      expect(await owner.put(theirs, { description: 'x' })).toEqual(OTHERS);
      expect(await owner.delete(theirs)).toEqual(OTHERS);
      for (const answer of await Promise.all([
        owner.get(`${theirs}source/`),
        owner.get(`${theirs}check_for_updates/`),
        owner.patch(`${theirs}update_source/`, { 'a.ts': '' }),
        owner.post(`${theirs}upgrade/`),
      ])) {
        expect(answer).toEqual(NOT_FOUND());
      }
      const mine = root.path(`${base}${id}/`);
      expect(await root.delete(mine)).toEqual(
        refusal(400, 'invalid_input', 'This plugin is marked as global! Make it local before uninstallation'),
      );
      expect((await root.patch(mine, { is_global: false })).body.is_global).toBe(false);
      expect(await owner.get(theirs)).toEqual(NOT_FOUND());
      expect((await root.delete(mine)).status).toBe(204);
    });

    it('needs plugins access 3 to read and 6 to write (PLUG-05, PLUG-26)', async () => {
      const person = await api.owner();
      const { id } = await install(person, {});
      const one = person.path(`${base}${id}/`);
      await restrict(person, PluginsAccess.None);
      for (const answer of await atOnce([...onOne(person, person, id), ...onAll(person, person)])) {
        expect(answer).toEqual(INSUFFICIENT);
      }
      await restrict(person, PluginsAccess.Config);
      for (const path of ['', `${id}/`, ...READS]) {
        expect((await person.get(person.path(base + path))).status).toBe(200);
      }
      for (const answer of await Promise.all([
        person.post(person.path(base), {}),
        person.patch(one, { is_global: 'not a boolean' }),
        person.put(one, {}),
        person.delete(one),
        person.patch(`${one}update_source/`, {}),
        person.post(`${one}upgrade/`),
      ])) {
        expect(answer).toEqual(INSUFFICIENT);
      }
      expect(await person.get(`${one}source/`)).toEqual(
        refusal(
          403,
          'permission_denied',
          'Plugin source editing is not available for the current organization!',
        ),
      );
      expect(await person.get(`${one}check_for_updates/`)).toEqual(
        refusal(
          403,
          'permission_denied',
          'Plugin installation is not available for the current organization!',
        ),
      );
    });

    it('needs plugin:read or plugin:write, and no level (D10)', async () => {
      const { id } = await install(owner, {});
      const member = await api.member(owner, 1, { scopes: ['plugin:read'] });
      const each = (await atOnce(onOne(member, owner, id))).map(({ status }) => status);
      expect(each).toEqual([200, 200, 200, 403, 403, 403, 403, 403]);
      const all = (await atOnce(onAll(member, owner))).map(({ status }) => status);
      expect(all).toEqual([200, 403, 200, 200, 200, 200]);
      const elsewhere = await api.as(member, { scopes: ['action:write', 'organization:write'] });
      for (const answer of await atOnce([...onOne(elsewhere, owner, id), ...onAll(elsewhere, owner)])) {
        expect(answer.status).toBe(403);
      }
      for (const answer of await atOnce([...onOne(api.anyone(), owner, id), ...onAll(api.anyone(), owner)])) {
        expect(answer.status).toBe(401);
      }
      const writer = await api.as(member, { scopes: ['plugin:write'] });
      for (const call of [...onAll(writer, owner), ...onOne(writer, owner, id)]) {
        expect((await call()).status).toBeLessThan(300);
      }
    });

    it('keeps who changed what (PLUG-15, PLUG-20, PLUG-33)', async () => {
      const person = await api.owner();
      const { id } = await install(person, { name: 'Logged' });
      const one = person.path(`${base}${id}/`);
      api.clock.advance({ seconds: 1 });
      await person.patch(one, { description: 'New', name: 'Logged' });
      await person.patch(one, { description: 'New' });
      api.clock.advance({ seconds: 1 });
      await person.patch(`${one}update_source/`, { 'index.ts': 'secret body' });
      api.clock.advance({ seconds: 1 });
      await person.delete(one);
      const answer = await person.preferring.get(person.path(`${base}activity/`));
      const detail = { name: 'Logged', trigger: null, type: family, short_id: null };
      const name = { field: 'name', action: 'created', before: null, after: null };
      const entry = {
        user: { first_name: 'Olive', email: person.user.email },
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
        scope: 'Plugin',
        item_id: String(id),
      };
      expect(answer.body).toEqual({
        results: [
          {
            ...entry,
            activity: 'uninstalled',
            detail: {
              ...detail,
              changes: expect.arrayContaining([{ ...name, action: 'deleted', before: 'Logged' }]),
            },
          },
          {
            ...entry,
            activity: 'source_updated',
            detail: {
              ...detail,
              changes: [{ field: 'index.ts', action: 'created', before: null, after: null }],
            },
          },
          {
            ...entry,
            activity: 'updated',
            detail: {
              ...detail,
              changes: [{ field: 'description', action: 'created', before: null, after: 'New' }],
            },
          },
          {
            ...entry,
            activity: 'installed',
            detail: { ...detail, changes: expect.arrayContaining([{ ...name, after: 'Logged' }]) },
          },
        ],
        next: null,
        previous: null,
        total_count: 4,
      });
      const rows = await api.rows(
        'SELECT DISTINCT user_id, key_id FROM activity_log WHERE organization_id = $1 AND scope = $2',
        [person.organizationId, 'Plugin'],
      );
      expect(rows).toEqual([{ user_id: person.user.id, key_id: expect.any(String) }]);
      await api.rows('UPDATE activity_log SET user_id = NULL WHERE organization_id = $1', [
        person.organizationId,
      ]);
      const orphaned = await person.preferring.get(person.path(`${base}activity/?limit=1`));
      expect(orphaned.body.results[0].user).toBeNull();
    });
  });

  describe('lists', () => {
    it('come in pages by id', async () => {
      const person = await api.owner();
      const path = person.path('pipeline_destinations/');
      const empty = await api.owner();
      const before = (await empty.get(empty.path('pipeline_destinations/'))).body.count;
      for (let count = 0; count < 3; count += 1) await person.post(path, { name: `p${count}` });
      const ids: number[] = [];
      let next: string | null = `${api.url}${path}?limit=2`;
      while (next) {
        const { body } = await person.get(next.replace(api.url, ''));
        expect(body.count).toBe(before + 3);
        ids.push(...body.results.map(({ id }: { id: number }) => id));
        next = body.next;
      }
      expect(ids).toHaveLength(before + 3);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    });

    it('end pages before their limit where they would be larger than 8 MiB, and go on', async () => {
      const person = await api.owner();
      const path = person.path('pipeline_transformations/');
      const before = (await person.get(path)).body.count;
      const large = { config_schema: { text: 'x'.repeat(1_000_000) } };
      for (let count = 0; count < 12; count += 1) {
        expect((await person.post(path, large)).status).toBe(201);
      }
      const sizes: number[] = [];
      const ids: number[] = [];
      let next: string | null = `${path}?limit=1000`;
      while (next) {
        const { body, text } = await person.get(next.replace(api.url, ''));
        expect(body.count).toBe(before + 12);
        sizes.push(text.length);
        ids.push(...body.results.map(({ id }: { id: number }) => id));
        next = body.next;
      }
      expect(sizes).toHaveLength(2);
      expect(Math.max(...sizes)).toBeLessThan(8.5 * 1024 * 1024);
      expect(new Set(ids).size).toBe(before + 12);
      expect(ids).toHaveLength(before + 12);
    });

    it('number the pages of the activity (PAGE-09)', async () => {
      const person = await api.owner();
      const path = person.path('pipeline_destinations/');
      for (let count = 0; count < 12; count += 1) {
        api.clock.advance({ seconds: 1 });
        await person.post(path, { name: `p${count}` });
      }
      const names = (body: { results: { detail: { name: string } }[] }) =>
        body.results.map(({ detail }) => detail.name);
      const first = (await person.preferring.get(`${path}activity/`)).body;
      expect(names(first)).toEqual(['p11', 'p10', 'p9', 'p8', 'p7', 'p6', 'p5', 'p4', 'p3', 'p2']);
      expect(first).toMatchObject({
        total_count: 12,
        previous: null,
        next: `${api.url}${path}activity/?limit=10&page=2`,
      });
      const second = (await person.preferring.get(first.next.replace(api.url, ''))).body;
      expect(names(second)).toEqual(['p1', 'p0']);
      expect(second).toMatchObject({
        total_count: 12,
        next: null,
        previous: `${api.url}${path}activity/?limit=10&page=1`,
      });
      const beyond = (await person.preferring.get(`${path}activity/?page=2147483647&limit=1000&x=y`)).body;
      expect(beyond).toEqual({
        results: [],
        next: null,
        previous: `${api.url}${path}activity/?limit=100&page=2147483646&x=y`,
        total_count: 12,
      });
      expect((await person.preferring.get(`${path}activity/?limit=12`)).body.next).toBeNull();
    });

    it.each([
      ['page=0', 'min_value', 'page'],
      ['page=-1', 'min_value', 'page'],
      ['page=x', 'invalid_input', 'page'],
      ['page=', 'invalid_input', 'page'],
      ['page=2147483648', 'max_value', 'page'],
      ['limit=0', 'min_value', 'limit'],
      ['limit=1.5', 'invalid_input', 'limit'],
    ])('refuse activity/?%s', async (query, code, attr) => {
      const answer = await owner.get(owner.path(`pipeline_destinations/activity/?${query}`));
      expect(answer).toEqual(refusal(400, code, expect.any(String), attr));
    });

    it('take the literal paths for themselves, and other ids for nothing', async () => {
      const base = owner.path('pipeline_destinations/');
      for (const id of ['0', '-1', '2147483647', '99999999999', 'x', '1e3', '%00', 'activities']) {
        expect((await owner.get(`${base}${id}/`)).status).toBe(404);
        expect((await owner.patch(`${base}${id}/update_source/`, {})).status).toBe(404);
      }
      const wrong = await owner.post(`${base}1/`, {});
      expect(wrong).toEqual(refusal(405, 'method_not_allowed', 'Method "POST" not allowed.'));
    });
  });

  describe('bodies', () => {
    const path = () => owner.path('pipeline_destinations/');
    const text = (max: number): [string, unknown, string][] => [
      ['a number', 1, 'invalid_input'],
      ['a list', ['a'], 'invalid_input'],
      ['NUL', 'a\0b', 'null_characters_not_allowed'],
      ['half a pair', 'a\ud800', 'surrogate_characters_not_allowed'],
      ['too long', 'x'.repeat(max + 1), 'max_length'],
    ];
    const object: [string, unknown, string][] = [
      ['a text', 'x', 'not_a_dict'],
      ['NUL', { a: ['b\0'] }, 'null_characters_not_allowed'],
      ['NUL in a key', { 'a\0': 1 }, 'null_characters_not_allowed'],
      ['depth', JSON.parse(`${'{"a":'.repeat(30)}1${'}'.repeat(30)}`), 'invalid_input'],
    ];
    const bad: [string, [string, unknown, string][]][] = [
      [
        'plugin_type',
        [
          ...text(1)
            .slice(0, 2)
            .map(([a, b]): [string, unknown, string] => [a, b, 'invalid_choice']),
          ['unknown', 'other', 'invalid_choice'],
          ['empty', '', 'invalid_choice'],
        ],
      ],
      ['name', text(200)],
      ['description', text(10_000)],
      ['icon', text(800)],
      ['tag', text(200)],
      ['url', [...text(800), ['empty', '', 'blank']]],
      ['config_schema', [...object, ['10,000 items', Array(10_000).fill({}), 'max_length']]],
      [
        'is_global',
        [
          ['null', null, 'null'],
          ['a text', 'true', 'invalid_input'],
        ],
      ],
      ['capabilities', [...object, ['a list', [{}], 'not_a_dict']]],
      ['metrics', object],
      ['public_jobs', object],
    ];
    const cases = bad.flatMap(([field, values]) =>
      values.map(([what, value, code]): [string, string, unknown, string] => [field, what, value, code]),
    );

    it.each(cases)('refuse %s: %s', async (field, _what, value, code) => {
      const answer = await owner.post(path(), { [field]: value });
      expect(answer).toEqual(refusal(400, code, expect.any(String), field));
    });

    it('name the item of a list that is no object', async () => {
      const answer = await owner.post(path(), { config_schema: [{}, 'x'] });
      expect(answer).toEqual(refusal(400, 'not_a_dict', expect.any(String), 'config_schema__1'));
    });

    it.each(['local', 'custom', 'repository', 'source', 'inline', null])('take type %j', async (type) => {
      const answer = await owner.post(path(), { plugin_type: type });
      expect(answer).toMatchObject({ status: 201, body: { plugin_type: type, url: null } });
    });

    it('ignore what is read-only or unknown, and url after create (PLUG-19, D4)', async () => {
      const { body: plugin } = await owner.post(path(), { url: newUrl() });
      const others = {
        url: newUrl(),
        latest_tag: 'v9',
        organization_id: stranger.organizationId,
        id: 1,
        x: 1,
      };
      const one = `${path()}${plugin.id}/`;
      expect((await owner.patch(one, others)).body).toEqual(plugin);
      expect((await owner.patch(one, { url: 5 })).body).toEqual(plugin);
      expect((await owner.put(one, { ...plugin, ...others })).body).toEqual(plugin);
    });

    it('guard is_global: named in a PATCH, or changed by a PUT, it needs level 9 (PLUG-18)', async () => {
      const { body: plugin } = await owner.post(path(), { is_global: false });
      const one = `${path()}${plugin.id}/`;
      expect(await owner.patch(one, { is_global: true })).toEqual(NO_ROOT);
      expect(await owner.patch(one, { is_global: false, name: 'Changed' })).toEqual(NO_ROOT);
      expect(await owner.put(one, { is_global: true, name: 'Changed' })).toEqual(NO_ROOT);
      expect((await owner.get(one)).body).toEqual(plugin);
      expect((await owner.put(one, { ...plugin, name: 'Put' })).body).toEqual({ ...plugin, name: 'Put' });
      const base = root.path('pipeline_destinations/');
      const { body: mine } = await root.post(base, {});
      for (const is_global of [true, false]) {
        expect((await root.patch(`${base}${mine.id}/`, { is_global })).body.is_global).toBe(is_global);
        expect((await root.put(`${base}${mine.id}/`, { is_global: !is_global })).body.is_global).toBe(
          !is_global,
        );
      }
    });
  });

  describe('addresses', () => {
    const path = (person: Person) => person.path('pipeline_destinations/');
    const installed = (url: string) =>
      refusal(400, 'invalid_input', `Plugin from URL "${url}" already installed!`, 'url');

    it('make a plugin custom unless it is of a repository (PLUG-09)', async () => {
      const url = newUrl();
      expect((await owner.post(path(owner), { url })).body).toMatchObject({ plugin_type: 'custom', url });
      for (const [plugin_type, shown] of [
        [null, 'custom'],
        ['local', 'custom'],
        ['repository', 'repository'],
      ]) {
        expect((await owner.post(path(owner), { url: newUrl(), plugin_type })).body.plugin_type).toBe(shown);
      }
      expect((await owner.post(path(owner), { url: null })).body).toMatchObject({
        url: null,
        plugin_type: null,
      });
    });

    it.each([
      'https://example.com/a/b',
      'http://github.com/a/b',
      'file:/tmp/x',
      'https://u:p@github.com/a/b',
      'x',
    ])('refuse %s (PLUG-12)', async (url) => {
      const answer = await owner.post(path(owner), { url });
      const detail = 'Must be a GitHub/GitLab repository or a npm package URL!';
      expect(answer).toEqual(refusal(400, 'invalid_input', detail, 'url'));
    });

    it('are installed once, in whatever family and organization, and can be again once uninstalled (PLUG-11)', async () => {
      const url = newUrl();
      const { body: plugin } = await owner.post(path(owner), { url: `${url}?private_token=a` });
      expect(plugin.url).toBe(url);
      expect(await owner.post(path(owner), { url })).toEqual(installed(url));
      expect(await stranger.post(path(stranger), { url: `${url}?private_token=b` })).toEqual(installed(url));
      expect(await stranger.post(stranger.path('pipeline_import_apps/'), { url })).toEqual(installed(url));
      await owner.delete(`${path(owner)}${plugin.id}/`);
      expect((await stranger.post(path(stranger), { url })).status).toBe(201);
    });

    it('are installed once when twenty try at once', async () => {
      const url = newUrl();
      const people = Array.from({ length: 20 }, (_, index) => (index % 2 ? owner : stranger));
      const answers = await Promise.all(people.map((person) => person.post(path(person), { url })));
      expect(statuses(answers)).toEqual({ 201: 1, 400: 19 });
      for (const answer of answers.filter(({ status }) => status === 400))
        expect(answer).toEqual(installed(url));
      const [row] = await api.rows<{ plugins: number; entries: number }>(
        `SELECT count(*)::int AS plugins,
                (SELECT count(*)::int FROM activity_log a WHERE a.item_id IN (SELECT p.id::text FROM plugins p WHERE p.url = $1)) AS entries
           FROM plugins WHERE url = $1`,
        [url],
      );
      expect(row).toEqual({ plugins: 1, entries: 1 });
    });

    it('keep their private token sealed and never show it', async () => {
      const token = 'glpat-very-secret';
      const url = newUrl();
      const created = await owner.post(path(owner), { url: `${url}?private_token=${token}` });
      const one = `${path(owner)}${created.body.id}/`;
      const answers = [
        created,
        await owner.post(path(owner), { url: `${url}?private_token=${token}` }),
        await owner.patch(one, { name: 'Changed' }),
        await owner.get(path(owner)),
        await owner.preferring.get(`${one}check_for_updates/`),
        await owner.preferring.get(`${path(owner)}activity/?limit=100`),
      ];
      for (const answer of answers) expect(answer.text).not.toContain(token);
      const [row] = await api.rows<{ sealed_private_token: Buffer; everything: string }>(
        `SELECT p.sealed_private_token, p::text || (SELECT string_agg(a::text, '') FROM activity_log a) AS everything
           FROM plugins p WHERE id = $1`,
        [created.body.id],
      );
      expect(row?.everything).not.toContain(token);
      expect(row?.everything).not.toContain(Buffer.from(token).toString('hex'));
      expect(api.app.get(SecretBox).open(row?.sealed_private_token ?? Buffer.alloc(0), url)).toBe(token);
    });
  });

  describe('sources', () => {
    let one: string;
    let id: number;
    beforeEach(async () => {
      const { body } = await owner.post(owner.path('pipeline_frontend_apps/'), { name: 'Before', tag: 'v1' });
      id = body.id;
      one = owner.path(`pipeline_frontend_apps/${id}/`);
    });
    const read = async () => (await owner.preferring.get(`${one}source/`)).body;
    const edit = (body: unknown) => owner.preferring.patch(`${one}update_source/`, body);

    it('are edited file by file (PLUG-23, PLUG-25)', async () => {
      const broken = 'export const x = <not typescript';
      expect((await edit({ 'index.ts': 'a', 'site.ts': broken, 'dir/é 😀.txt': '' })).body).toEqual({
        'index.ts': 'a',
        'site.ts': broken,
        'dir/é 😀.txt': '',
      });
      expect((await edit({ 'index.ts': 'b', 'site.ts': null, 'none.ts': null })).body).toEqual({
        'index.ts': 'b',
        'dir/é 😀.txt': '',
      });
      expect((await owner.patch(`${one}update_source/`)).status).toBe(200);
      expect(await read()).toEqual({ 'index.ts': 'b', 'dir/é 😀.txt': '' });
      const entries = await activityOf(owner, 'pipeline_frontend_apps/', id);
      expect(entries[0].detail.changes).toEqual([
        { field: 'index.ts', action: 'changed', before: null, after: null },
        { field: 'site.ts', action: 'deleted', before: null, after: null },
      ]);
      expect(entries).toHaveLength(3);
    });

    it('describe the plugin in plugin.json (PLUG-24)', async () => {
      const config = [{ key: 'greeting', type: 'string' }];
      await edit({ 'plugin.json': JSON.stringify({ name: 'After', config, version: 3 }) });
      expect((await owner.get(one)).body).toMatchObject({ name: 'After', config_schema: config, tag: 'v1' });
      const [entry] = await activityOf(owner, 'pipeline_frontend_apps/', id);
      expect(entry.detail).toMatchObject({
        name: 'After',
        changes: [
          { field: 'plugin.json', action: 'created', before: null, after: null },
          { field: 'name', action: 'changed', before: 'Before', after: 'After' },
          { field: 'config_schema', action: 'changed', before: {}, after: config },
        ],
      });
      await edit({ 'plugin.json': '{}' });
      await edit({ 'plugin.json': null });
      expect((await owner.get(one)).body).toMatchObject({ name: 'After', config_schema: config });
    });

    it.each([
      ['{', 'JSON parse error.'],
      ['', 'JSON parse error.'],
      ['null', expect.any(String)],
      ['[]', 'Expected a dictionary, but got list.'],
      ['{"name":5}', 'name: Not a valid string.'],
      ['{"name":null}', 'name: This field may not be null.'],
      [`{"name":"${'x'.repeat(201)}"}`, expect.any(String)],
      ['{"name":"\\u0000"}', expect.any(String)],
      ['{"config":"x"}', expect.any(String)],
      ['{"config":["x"]}', expect.any(String)],
      [`{"config":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`, expect.any(String)],
      [`{"config":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, expect.any(String)],
    ])('refuse a malformed plugin.json: %.40s', async (text, detail) => {
      const answer = await edit({ 'index.ts': 'new', 'plugin.json': text });
      expect(answer).toEqual(refusal(400, 'invalid_input', detail, 'plugin.json'));
      expect(await read()).toEqual({});
      expect((await owner.get(one)).body.name).toBe('Before');
    });

    it.each([
      ['/etc/passwd', 'invalid_input'],
      ['../a', 'invalid_input'],
      ['a/../../b', 'invalid_input'],
      ['a//b', 'invalid_input'],
      ['./a', 'invalid_input'],
      ['a\\..\\b', 'invalid_input'],
      ['dir/', 'invalid_input'],
      ['', 'blank'],
      ['a\0', 'null_characters_not_allowed'],
      ['a\ud800', 'surrogate_characters_not_allowed'],
    ])('refuse the file name %j', async (name, code) => {
      const answer = await edit({ ok: 'x', [name]: 'x' });
      expect(answer).toEqual(refusal(400, code, expect.any(String), name));
      expect(await read()).toEqual({});
    });

    it.each([
      ['a number', 5, 'invalid_input'],
      ['an object', {}, 'invalid_input'],
      ['NUL', 'a\0', 'null_characters_not_allowed'],
      ['half a pair', '\udc00', 'surrogate_characters_not_allowed'],
      ['too much', 'x'.repeat(900_001), 'max_length'],
    ])('refuse content that is %s', async (_what, content, code) => {
      const answer = await edit({ ok: 'x', 'index.ts': content });
      expect(answer).toEqual(refusal(400, code, expect.any(String), 'index.ts'));
      expect(await read()).toEqual({});
    });

    it('refuse what is no map, too long a name and too many files', async () => {
      expect(await edit(['a'])).toEqual(
        refusal(400, 'invalid_input', 'Invalid data. Expected a dictionary, but got list.'),
      );
      const name = 'n'.repeat(201);
      expect(await edit({ [name]: 'x' })).toEqual(
        refusal(400, 'max_length', expect.any(String), name.slice(0, 200)),
      );
      const files = (from: number, to: number) =>
        Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`f${from + index}`, '']));
      expect(await edit(files(0, 101))).toEqual(refusal(400, 'max_length', expect.any(String)));
      expect((await edit(files(0, 100))).status).toBe(200);
      expect(await edit(files(100, 101))).toEqual(
        refusal(400, 'max_length', 'Ensure the plugin has no more than 100 source files.'),
      );
      expect((await edit({ ...files(100, 101), f0: null })).status).toBe(200);
      expect(Object.keys(await read())).toHaveLength(100);
    });

    it('take names that mean something to JavaScript', async () => {
      const raw = '{"__proto__":"a","constructor":"b","toString":"c"}';
      const answer = await owner.request('PATCH', `${one}update_source/`, {
        raw,
        headers: { Prefer: 'return=representation' },
      });
      expect(answer.text.replace(/[\s]/g, '')).toBe(raw);
    });

    it('keep both of two edits at once', async () => {
      const names = Array.from({ length: 10 }, (_, index) => `f${index}.ts`);
      const answers = await Promise.all(names.map((name) => edit({ [name]: name, 'all.ts': name })));
      expect(statuses(answers)).toEqual({ 200: 10 });
      expect(Object.keys(await read()).sort()).toEqual(['all.ts', ...names].sort());
    });

    it('go with the plugin; its activity stays (PLUG-20)', async () => {
      await edit({ 'index.ts': 'a' });
      expect((await owner.delete(one)).status).toBe(204);
      expect(await api.rows('SELECT 1 FROM plugin_source_files WHERE plugin_id = $1', [id])).toEqual([]);
      expect(await activityOf(owner, 'pipeline_frontend_apps/', id)).toHaveLength(3);
    });
  });

  it('undoes a change whose activity cannot be written', async () => {
    const path = owner.path('pipeline_destinations/');
    const { body } = await owner.post(path, { name: 'Kept' });
    const one = `${path}${body.id}/`;
    const quiet = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    await api.rows(
      "ALTER TABLE activity_log ADD CONSTRAINT refuse CHECK (detail->>'name' <> 'Refused') NOT VALID",
    );
    try {
      expect((await owner.patch(one, { name: 'Refused' })).status).toBe(500);
      const manifest = { 'plugin.json': '{"name":"Refused"}' };
      expect((await owner.patch(`${one}update_source/`, manifest)).status).toBe(500);
      expect((await owner.get(one)).body.name).toBe('Kept');
      expect((await owner.preferring.get(`${one}source/`)).body).toEqual({});
    } finally {
      quiet.mockRestore();
      await api.rows('ALTER TABLE activity_log DROP CONSTRAINT refuse');
    }
  });

  it('forgets everything of an organization that is deleted (D22)', async () => {
    const person = await api.owner();
    const { body } = await person.post(person.path('pipeline_destinations/'), {});
    await person.patch(person.path(`pipeline_destinations/${body.id}/update_source/`), { a: 'b' });
    expect((await person.delete(person.path(''))).status).toBe(204);
    expect(await api.rows('SELECT 1 FROM plugins WHERE id = $1', [body.id])).toEqual([]);
    expect(
      await api.rows('SELECT 1 FROM activity_log WHERE organization_id = $1', [person.organizationId]),
    ).toEqual([]);
  });

  it('gives each family its own operations, with the scopes of D10', async () => {
    const { paths } = (await api.anyone().get('/api/schema/')).body;
    const operations = FAMILIES.map((family) => {
      const base = `/api/organizations/{organization_id}/${family}/`;
      const found = Object.entries<Record<string, Record<string, string>>>(paths)
        .filter(([path]) => path.startsWith(base))
        .flatMap(([, item]) => Object.values(item))
        .map((operation) => [operation.operationId, operation['x-required-scope']]);
      return Object.fromEntries(found);
    });
    expect(operations[0]).toEqual({
      pipelineDestinationsList: 'plugin:read',
      pipelineDestinationsCreate: 'plugin:write',
      pipelineDestinationsActivity: 'plugin:read',
      pipelineDestinationsExportsUnsubscribeConfigs: 'plugin:read',
      pipelineDestinationsRepository: 'plugin:read',
      pipelineDestinationsUnused: 'plugin:read',
      pipelineDestinationsRetrieve: 'plugin:read',
      pipelineDestinationsUpdate: 'plugin:write',
      pipelineDestinationsReplace: 'plugin:write',
      pipelineDestinationsDelete: 'plugin:write',
      pipelineDestinationsCheckForUpdates: 'plugin:read',
      pipelineDestinationsSource: 'plugin:read',
      pipelineDestinationsUpdateSource: 'plugin:write',
      pipelineDestinationsUpgrade: 'plugin:write',
    });
    const names = ['pipelineFrontendApps', 'pipelineImportApps', 'pipelineTransformations'];
    for (const [index, name] of names.entries()) {
      expect(Object.keys(operations[index + 1] ?? {})).toEqual(
        Object.keys(operations[0] ?? {}).map((id) => id.replace('pipelineDestinations', name)),
      );
    }
  });
});
