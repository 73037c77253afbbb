import { Logger } from '@nestjs/common';
import { SECRET_MASK } from '../../src/pipeline/domain/config-values';
import { PluginsAccess } from '../../src/shared/domain/level';
import { SecretBox } from '../../src/shared/secrets/secret-box';
import { type Person, TestApi } from '../support/api';
import type { Answer } from '../support/client';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const SCHEMA = [
  { markdown: 'Tell us where to.' },
  { key: 'host', name: 'Host', type: 'string', required: true },
  { key: 'region', name: 'Region', type: 'choice', choices: ['eu', 'us'], required: true, default: 'eu' },
  { key: 'mapping', name: 'Mapping', type: 'json' },
  { key: 'apiKey', name: 'Key', type: 'string', required: true, secret: true },
  { key: 'database', name: 'Database', type: 'attachment' },
];
const VALUES = { host: 'https://example.com', region: 'us', mapping: '{"a": 1}', apiKey: 'hunter2' };
const SHOWN = { ...VALUES, apiKey: SECRET_MASK };
const UNKNOWN_PLUGIN = (id: number) =>
  refusal(400, 'does_not_exist', `Invalid pk "${id}" - object does not exist.`, 'plugin');

describe('Plugin configs', () => {
  let api: TestApi;
  let owner: Person;
  let stranger: Person;
  let root: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    stranger = await api.owner();
    root = await api.owner({ pluginsAccessLevel: PluginsAccess.Root });
  });
  afterAll(() => api?.stop());

  const base = (person: Person) => person.projectPath('plugin_configs/');
  const one = (person: Person, id: number) => `${base(person)}${id}/`;
  const install = async (person: Person, body: object = {}, family = 'pipeline_destinations') => {
    const answer = await person.post(person.path(`${family}/`), {
      plugin_type: 'source',
      name: 'Sender',
      description: 'Sends.',
      config_schema: SCHEMA,
      capabilities: { methods: ['onEvent'] },
      ...body,
    });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const configure = async (person: Person, body: object) => {
    const answer = await person.post(base(person), body);
    expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    return answer.body;
  };
  const activityOf = async (person: Person, family = 'pipeline_destinations') =>
    (await person.preferring.get(person.path(`${family}/activity/?limit=100`))).body.results;
  const ids = (answer: Answer) => (answer.body as { results: { id: number }[] }).results.map(({ id }) => id);
  const restrict = (person: Person, level: PluginsAccess) =>
    api.rows('UPDATE organizations SET plugins_access_level = $2 WHERE id = $1', [
      person.organizationId,
      level,
    ]);

  describe('are created', () => {
    it('with the fields and defaults of PLUG-31', async () => {
      const person = await api.owner();
      const plugin = await install(person);
      const config = await configure(person, { plugin: plugin.id });
      expect(config).toEqual({
        id: expect.any(Number),
        plugin: plugin.id,
        enabled: false,
        order: 1,
        config: {},
        error: null,
        team_id: person.projectId,
        plugin_info: plugin,
        delivery_rate_24h: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: config.created_at,
        name: 'Sender',
        description: 'Sends.',
        deleted: false,
      });
      expect(Object.keys(config)).toEqual([
        ...['id', 'plugin', 'enabled', 'order', 'config', 'error', 'team_id', 'plugin_info'],
        ...['delivery_rate_24h', 'created_at', 'updated_at', 'name', 'description', 'deleted'],
      ]);
      const given = { enabled: true, order: -3, config: VALUES, name: 'Mine', description: 'To us.' };
      const other = await configure(person, { plugin: plugin.id, ...given });
      expect(other).toMatchObject({ ...given, config: SHOWN });
      expect((await person.get(one(person, other.id))).body).toEqual(other);
      const list = await person.get(base(person));
      expect(list.body).toEqual({
        count: 2,
        next: null,
        previous: null,
        results: [
          { ...other, plugin_info: null },
          { ...config, plugin_info: null },
        ],
      });
    });

    it('for plugins that the organization sees alone', async () => {
      const mine = await install(owner);
      expect(await stranger.post(base(stranger), { plugin: mine.id })).toEqual(UNKNOWN_PLUGIN(mine.id));
      expect(await owner.post(base(owner), { plugin: 2_147_483_647 })).toEqual(UNKNOWN_PLUGIN(2_147_483_647));
      const global = await install(root, { is_global: true });
      const config = await configure(stranger, { plugin: global.id });
      expect(config.plugin_info).toMatchObject({ id: global.id, organization_id: root.organizationId });
    });

    it('last unless an order is given', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      expect((await configure(person, { plugin, order: 7 })).order).toBe(7);
      expect((await configure(person, { plugin })).order).toBe(8);
      expect((await configure(person, { plugin, order: 2_147_483_647 })).order).toBe(2_147_483_647);
      expect((await configure(person, { plugin })).order).toBe(2_147_483_647);
    });

    it('twenty at once, each for itself', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          person.post(base(person), { plugin, config: { apiKey: 'hunter2' } }),
        ),
      );
      expect(statuses(answers)).toEqual({ 201: 20 });
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(20);
    });
  });

  describe('are listed', () => {
    it('by order, then id, in pages', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const made: number[] = [];
      for (const order of [3, 1, 2, 1]) made.push((await configure(person, { plugin, order })).id);
      const seen: number[] = [];
      let next: string | null = `${base(person)}?limit=3`;
      while (next) {
        const answer: Answer<{ count: number; next: string | null }> = await person.get(
          next.replace(api.url, ''),
        );
        expect(answer.body.count).toBe(4);
        seen.push(...ids(answer));
        next = answer.body.next;
      }
      expect(seen).toEqual([made[1], made[3], made[2], made[0]]);
    });
  });

  describe('are changed', () => {
    let person: Person;
    let plugin: number;
    let id: number;
    beforeEach(async () => {
      person = await api.owner();
      plugin = (await install(person)).id;
      id = (await configure(person, { plugin, config: VALUES, name: 'Mine' })).id;
    });
    const patch = (body: object) => person.patch(one(person, id), body);

    it('field by field, and null is not absent', async () => {
      api.clock.advance({ seconds: 1 });
      const { body: before } = await person.get(one(person, id));
      const { body: named } = await patch({ name: null, description: '' });
      expect(named).toEqual({
        ...before,
        name: 'Sender',
        description: 'Sends.',
        updated_at: expect.any(String),
      });
      expect(named.updated_at > before.updated_at).toBe(true);
      expect((await patch({ enabled: true, order: 9 })).body).toMatchObject({
        enabled: true,
        order: 9,
        config: SHOWN,
      });
    });

    it('by PUT, which needs the plugin and ignores another one (D4)', async () => {
      expect(await person.put(one(person, id), { order: 2 })).toEqual(
        refusal(400, 'required', 'This field is required.', 'plugin'),
      );
      const other = await install(person);
      const { body: before } = await person.get(one(person, id));
      const { body } = await person.put(one(person, id), {
        ...before,
        plugin: other.id,
        order: 2,
        id: 1,
        team_id: 1,
      });
      expect(body).toEqual({ ...before, order: 2, updated_at: expect.any(String) });
    });

    it('with a config that takes the place of the one before, but for its secrets (PLUG-32)', async () => {
      expect((await patch({ config: { host: 'h' } })).body.config).toEqual({
        host: 'h',
        apiKey: SECRET_MASK,
      });
      expect((await patch({ config: { apiKey: null } })).body.config).toEqual({ apiKey: SECRET_MASK });
      expect((await patch({ config: SHOWN })).body.config).toEqual(SHOWN);
      expect(await secretOf(id)).toEqual({ apiKey: 'hunter2' });
      expect((await patch({ config: { ...SHOWN, apiKey: 'other' } })).body.config).toEqual(SHOWN);
      expect(await secretOf(id)).toEqual({ apiKey: 'other' });
      expect((await patch({ config: { apiKey: '' } })).body.config).toEqual({ apiKey: '' });
      expect(await secretOf(id)).toEqual({});
    });

    it('both of two at once', async () => {
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, (_, index) => patch({ order: index })),
        ...Array.from({ length: 5 }, (_, index) => patch({ config: { apiKey: `k${index}`, host: 'h' } })),
      ]);
      expect(statuses(answers)).toEqual({ 200: 10 });
      expect((await person.get(one(person, id))).body.config).toEqual({ apiKey: SECRET_MASK, host: 'h' });
    });
  });

  const secretOf = async (id: number) => {
    const [row] = await api.rows<{ sealed_values: Buffer | null }>(
      'SELECT sealed_values FROM plugin_configs WHERE id = $1',
      [id],
    );
    const sealed = row?.sealed_values;
    return sealed ? JSON.parse(api.app.get(SecretBox).open(sealed, `plugin config ${id}`)) : {};
  };

  describe('hold what the plugin asks for', () => {
    let plugin: number;
    beforeAll(async () => {
      plugin = (await install(owner)).id;
    });
    const file = {
      name: 'geo.mmdb',
      type: 'application/x-mmdb',
      contents: Buffer.from('12345').toString('base64'),
    };

    it.each<[string, object, string, string, string]>([
      [
        'an unknown key',
        { colour: 'red' },
        'invalid_input',
        'The plugin has no such setting.',
        'config__colour',
      ],
      [
        'a prototype',
        JSON.parse('{"__proto__": "x"}'),
        'invalid_input',
        'The plugin has no such setting.',
        'config____proto__',
      ],
      ['a number for a text', { host: 5 }, 'invalid_input', 'Not a valid string.', 'config__host'],
      [
        'too long a text',
        { host: 'x'.repeat(100_001) },
        'max_length',
        'Ensure this field has no more than 100000 characters.',
        'config__host',
      ],
      [
        'another choice',
        { region: 'asia' },
        'invalid_choice',
        '"asia" is not a valid choice.',
        'config__region',
      ],
      ['no JSON', { mapping: '{' }, 'invalid_input', 'Value must be valid JSON.', 'config__mapping'],
      ['no file', { database: 'x' }, 'invalid_input', expect.any(String), 'config__database'],
      [
        'a file that is no base64',
        { database: { name: 'x', contents: '###' } },
        'invalid_input',
        expect.any(String),
        'config__database',
      ],
      ['the mask of nothing', { apiKey: SECRET_MASK }, 'invalid_input', expect.any(String), 'config__apiKey'],
      ['a list', [] as object, 'not_a_dict', expect.any(String), 'config'],
      ['NUL', { host: 'a\0' }, 'null_characters_not_allowed', expect.any(String), 'config'],
    ])('and refuse %s', async (_what, config, code, detail, attr) => {
      const before = (await owner.get(base(owner))).body.count;
      expect(await owner.post(base(owner), { plugin, config })).toEqual(refusal(400, code, detail, attr));
      expect((await owner.get(base(owner))).body.count).toBe(before);
    });

    it('all of it once they are enabled, a default counting as given', async () => {
      const missing = (key: string) => refusal(400, 'required', 'This field is required.', `config__${key}`);
      const incomplete = { plugin, config: { host: 'h' } };
      expect(await owner.post(base(owner), { ...incomplete, enabled: true })).toEqual(missing('apiKey'));
      const { id } = await configure(owner, incomplete);
      const patch = (body: object) => owner.patch(one(owner, id), body);
      expect(await patch({ enabled: true })).toEqual(missing('apiKey'));
      expect((await owner.get(one(owner, id))).body.enabled).toBe(false);
      expect((await patch({ enabled: true, config: { host: 'h', apiKey: 'k' } })).body.enabled).toBe(true);
      expect(await patch({ config: { host: '' } })).toEqual(missing('host'));
      expect(await patch({ config: { host: 'h', apiKey: '' } })).toEqual(missing('apiKey'));
      expect((await patch({ name: 'Other' })).status).toBe(200);
    });

    it('as an object of settings as well', async () => {
      const schema = { token: { name: 'Token', type: 'string', secret: true }, note: 'no setting' };
      const { id } = await install(owner, { config_schema: schema });
      const config = await configure(owner, { plugin: id, config: { token: 'hunter2' } });
      expect(config.config).toEqual({ token: SECRET_MASK });
      const answer = await owner.post(base(owner), { plugin: id, config: { note: 'x' } });
      expect(answer).toEqual(
        refusal(400, 'invalid_input', 'The plugin has no such setting.', 'config__note'),
      );
      for (const none of [null, [], {}]) {
        const { id: bare } = await install(owner, { config_schema: none });
        expect((await configure(owner, { plugin: bare, config: {}, enabled: true })).config).toEqual({});
      }
    });

    it('and values of settings of other types, and any JSON, as they are', async () => {
      const schema = [
        { key: 'many', type: 'number' },
        { key: 'json', type: 'json' },
      ];
      const { id } = await install(owner, { config_schema: schema });
      const values = { many: 12.5, json: { a: [1, null] } };
      expect((await configure(owner, { plugin: id, config: values })).config).toEqual(values);
    });

    it('and files, of which no contents are answered', async () => {
      const shown = { uid: -1, saved: true, size: 5, name: 'geo.mmdb', type: 'application/x-mmdb' };
      const config = await configure(owner, { plugin, config: { host: 'h', database: file } });
      expect(config.config).toEqual({ host: 'h', database: shown });
      for (const same of [config.config, { host: 'h' }]) {
        expect((await owner.patch(one(owner, config.id), { config: same })).body.config).toEqual(
          config.config,
        );
      }
      expect(await secretOf(config.id)).toEqual({ database: file });
      const cleared = await owner.patch(one(owner, config.id), { config: { database: '' } });
      expect(cleared.body.config).toEqual({ database: '' });
      const { id } = await install(owner, {
        config_schema: [{ key: 'key', type: 'attachment', secret: true }],
      });
      expect((await configure(owner, { plugin: id, config: { key: file } })).config).toEqual({
        key: { uid: -1, saved: true, size: -1, name: SECRET_MASK, type: 'application/octet-stream' },
      });
    });
  });

  describe('keep secrets', () => {
    it('sealed, bound to the config, in no answer and no log', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const config = await configure(person, { plugin, config: VALUES, enabled: true });
      const answers = [
        await person.patch(one(person, config.id), { config: { ...VALUES, apiKey: 'hunter2 again' } }),
        await person.put(one(person, config.id), { plugin, config: SHOWN }),
        await person.get(base(person)),
        await person.post(`${base(person)}rearrange/`, { orders: { [config.id]: 4 } }),
        await person.preferring.get(person.path('pipeline_destinations/activity/?limit=100')),
        await person.preferring.get(person.path('pipeline_destinations/exports_unsubscribe_configs/')),
      ];
      for (const answer of [{ text: JSON.stringify(config) }, ...answers]) {
        expect(answer.text).not.toContain('hunter2');
        expect(answer.text).toContain(SECRET_MASK);
      }
      const [row] = await api.rows<{ everything: string }>(
        `SELECT c::text || (SELECT string_agg(a::text, '') FROM activity_log a) AS everything
           FROM plugin_configs c WHERE id = $1`,
        [config.id],
      );
      expect(row?.everything).not.toContain('hunter2');
      expect(row?.everything).not.toContain(Buffer.from('hunter2').toString('hex'));
      expect(await secretOf(config.id)).toEqual({ apiKey: 'hunter2 again' });
    });

    describe('when a setting becomes one after its value was stored in the clear', () => {
      const family = 'pipeline_destinations';
      const open = [
        { key: 'token', type: 'string' },
        { key: 'list', type: 'json' },
        { key: 'host', type: 'string' },
      ];
      const closed = open.map((field) => ({ ...field, secret: field.key !== 'host' }));
      const values = { token: 'hunter2', list: { deep: 'hunter2' }, host: 'h' };
      const masks = { token: SECRET_MASK, list: SECRET_MASK, host: 'h' };
      let person: Person;
      let plugin: number;
      let id: number;
      beforeEach(async () => {
        person = await api.owner();
        plugin = (await install(person, { config_schema: open })).id;
        id = (await configure(person, { plugin, config: values, enabled: true })).id;
        expect((await person.get(one(person, id))).body.config).toEqual(values);
        expect(await shownOf()).toContain('hunter2');
      });

      const at = () => person.path(`${family}/${plugin}/`);
      /** All that answers and the database tell of the config. */
      const shownOf = async () => {
        const answers = await Promise.all([
          person.get(one(person, id)),
          person.get(base(person)),
          person.preferring.get(person.path(`${family}/exports_unsubscribe_configs/`)),
        ]);
        const log = await person.preferring.get(person.path(`${family}/activity/?limit=100`));
        return [...answers, log].map(({ text }) => text).join();
      };
      const storedOf = async () => {
        const [row] = await api.rows<{ text: string }>(
          "SELECT c::text || (SELECT string_agg(a::text, '') FROM activity_log a WHERE item_id = $2) AS text FROM plugin_configs c WHERE id = $1",
          [id, String(plugin)],
        );
        return row?.text;
      };

      it.each<[string, () => Promise<Answer>]>([
        ['PATCH', () => person.patch(at(), { config_schema: closed })],
        ['PUT', () => person.put(at(), { config_schema: closed })],
        [
          'plugin.json',
          () => person.patch(`${at()}update_source/`, { 'plugin.json': JSON.stringify({ config: closed }) }),
        ],
      ])('by %s: at once, at rest and in the log', async (_how, close) => {
        await person.patch(one(person, id), { config: { ...values, token: 'hunter2 again', host: 'other' } });
        expect((await close()).status).toBe(200);
        expect(await shownOf()).not.toContain('hunter2');
        expect(await storedOf()).not.toContain('hunter2');
        expect((await person.get(one(person, id))).body.config).toEqual({ ...masks, host: 'other' });
        expect(await secretOf(id)).toEqual({ token: 'hunter2 again', list: values.list });
        const changes = (await activityOf(person)).flatMap(
          ({ detail }: { detail: { changes: object[] | null } }) => detail.changes ?? [],
        );
        expect(changes).toEqual(
          expect.arrayContaining([
            { field: 'config__token', action: 'changed', before: SECRET_MASK, after: SECRET_MASK },
            { field: 'config__token', action: 'created', before: null, after: SECRET_MASK },
            { field: 'config__host', action: 'changed', before: 'h', after: 'other' },
          ]),
        );
      });

      it('even where it was not sealed yet', async () => {
        await api.rows('UPDATE plugins SET config_schema = $2 WHERE id = $1', [
          plugin,
          JSON.stringify(closed),
        ]);
        for (const path of [one(person, id), base(person)]) {
          expect((await person.get(path)).text).not.toContain('hunter2');
        }
        const kept = await person.patch(one(person, id), { config: masks });
        expect(kept.body.config).toEqual(masks);
        expect(await secretOf(id)).toEqual({ token: values.token, list: values.list });
      });

      it('and stays hidden when the plugin takes its word back, until another value is given', async () => {
        await person.patch(at(), { config_schema: closed });
        await person.patch(at(), { config_schema: open });
        expect((await person.get(one(person, id))).body.config).toEqual(masks);
        expect((await person.patch(one(person, id), { config: masks })).body.config).toEqual(masks);
        expect((await person.patch(one(person, id), { config: { token: 'shown' } })).body.config).toEqual({
          token: 'shown',
        });
        expect(await secretOf(id)).toEqual({});
      });
    });

    it('and hide settings that the plugin no longer asks for', async () => {
      const { id: plugin } = await install(owner);
      const { id } = await configure(owner, { plugin, config: VALUES });
      await owner.patch(owner.path(`pipeline_destinations/${plugin}/`), { config_schema: [SCHEMA[1]] });
      const { body } = await owner.get(one(owner, id));
      expect(body.config).toEqual({ host: VALUES.host });
      expect((await owner.put(one(owner, id), body)).body.config).toEqual({ host: VALUES.host });
    });
  });

  describe('are deleted', () => {
    it('softly: disabled, out of lists, and back again', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const config = await configure(person, { plugin, config: VALUES, enabled: true });
      expect((await person.delete(one(person, config.id))).status).toBe(204);
      expect((await person.delete(one(person, config.id))).status).toBe(204);
      const { body } = await person.get(one(person, config.id));
      expect(body).toMatchObject({ enabled: false, deleted: true, config: SHOWN });
      expect((await person.get(base(person))).body.results).toEqual([]);
      expect(await person.patch(one(person, config.id), { enabled: true })).toEqual(
        refusal(400, 'invalid_input', expect.stringContaining('`deleted`'), 'enabled'),
      );
      const back = await person.patch(one(person, config.id), { deleted: false, enabled: true });
      expect(back.body).toMatchObject({ enabled: true, deleted: false, config: SHOWN });
      const gone = await person.patch(one(person, config.id), { ...back.body, deleted: true });
      expect(gone.body).toMatchObject({ enabled: false, deleted: true });
    });

    it('with their plugin, in every organization (PLUG-20, PLUG-21)', async () => {
      const plugin = await install(root, { is_global: true, config_schema: {} });
      const mine = await configure(root, { plugin: plugin.id, enabled: true });
      const theirs = await configure(owner, { plugin: plugin.id, enabled: true });
      const path = root.path(`pipeline_destinations/${plugin.id}/`);
      expect((await root.delete(path)).status).toBe(400);
      expect((await root.patch(path, { is_global: false })).status).toBe(200);
      expect((await root.delete(path)).status).toBe(204);
      expect(await root.get(one(root, mine.id))).toEqual(NOT_FOUND());
      expect(await owner.get(one(owner, theirs.id))).toEqual(NOT_FOUND());
    });

    it('with their project', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const { body: project } = await person.post(person.path('projects/'), { name: 'Other' });
      const { body } = await person.post(`/api/projects/${project.id}/plugin_configs/`, { plugin });
      expect((await person.delete(person.path(`projects/${project.id}/`))).status).toBe(204);
      expect(await api.rows('SELECT 1 FROM plugin_configs WHERE id = $1', [body.id])).toEqual([]);
    });
  });

  it('keep a plugin in sight that is no longer global (PLUG-04)', async () => {
    const plugin = await install(root, { is_global: true, config_schema: {} });
    const config = await configure(owner, { plugin: plugin.id });
    await root.patch(root.path(`pipeline_destinations/${plugin.id}/`), { is_global: false });
    const theirs = owner.path(`pipeline_destinations/${plugin.id}/`);
    expect((await owner.get(theirs)).status).toBe(200);
    expect(ids(await owner.get(owner.path('pipeline_destinations/?limit=1000')))).toContain(plugin.id);
    expect((await owner.patch(theirs, { name: 'x' })).status).toBe(403);
    expect(await stranger.get(stranger.path(`pipeline_destinations/${plugin.id}/`))).toEqual(NOT_FOUND());
    expect((await owner.patch(one(owner, config.id), { enabled: true })).status).toBe(200);
    expect((await owner.delete(one(owner, config.id))).status).toBe(204);
    // With the config, the sight of the plugin is lost, and with it the way back.
    expect(await owner.get(theirs)).toEqual(NOT_FOUND());
    expect(await owner.get(one(owner, config.id))).toEqual(NOT_FOUND());
    expect(await owner.patch(one(owner, config.id), { deleted: false })).toEqual(NOT_FOUND());
    expect(await owner.post(base(owner), { plugin: plugin.id })).toEqual(UNKNOWN_PLUGIN(plugin.id));
  });

  describe('are rearranged', () => {
    let person: Person;
    let made: number[];
    beforeEach(async () => {
      person = await api.owner();
      const { id: plugin } = await install(person);
      made = [];
      for (const order of [1, 2, 3]) made.push((await configure(person, { plugin, order })).id);
    });

    it.each(['POST', 'PATCH'])('several at once, with %s', async (method) => {
      const [a = 0, b = 0, c = 0] = made;
      const body = { orders: { [a]: 3, [c]: 1 } };
      const answer = await person.request(method, `${base(person)}rearrange/`, { body });
      expect(answer.status).toBe(200);
      expect(answer.body.map(({ id, order }: { id: number; order: number }) => [id, order])).toEqual([
        [c, 1],
        [b, 2],
        [a, 3],
      ]);
      expect(answer.body).toEqual((await person.get(base(person))).body.results);
      const entries = (await activityOf(person)).filter(
        ({ activity }: { activity: string }) => activity === 'order_changed',
      );
      expect(entries.map(({ detail }: { detail: { changes: unknown[] } }) => detail.changes)).toEqual([
        [{ field: 'order', action: 'changed', before: 3, after: 1 }],
        [{ field: 'order', action: 'changed', before: 1, after: 3 }],
      ]);
    });

    it('all or none, and never those of another project', async () => {
      const [a = 0] = made;
      const theirs = await configure(stranger, { plugin: (await install(stranger)).id, order: 5 });
      await person.delete(one(person, made[1] ?? 0));
      for (const id of [theirs.id, made[1], 2_147_483_647]) {
        expect(await person.post(`${base(person)}rearrange/`, { orders: { [a]: 9, [id]: 8 } })).toEqual(
          refusal(400, 'does_not_exist', `Invalid pk "${id}" - object does not exist.`, `orders__${id}`),
        );
      }
      expect((await person.get(one(person, a))).body.order).toBe(1);
      expect((await stranger.get(one(stranger, theirs.id))).body.order).toBe(5);
    });

    it.each<[unknown, string, string]>([
      [undefined, 'required', 'orders'],
      [null, 'null', 'orders'],
      [[1, 2], 'not_a_dict', 'orders'],
      [{ x: 1 }, 'invalid_input', 'orders__x'],
      [{ 1: '1' }, 'invalid_input', 'orders__1'],
      [{ 1: 2_147_483_648 }, 'max_value', 'orders__1'],
      [{ 2147483648: 1 }, 'invalid_input', 'orders__2147483648'],
      [Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [index, 1])), 'max_length', 'orders'],
    ])('and refuse orders %#', async (orders, code, attr) => {
      const answer = await person.post(`${base(person)}rearrange/`, { orders });
      expect(answer).toEqual(refusal(400, code, expect.any(String), attr));
    });
  });

  describe('are closed', () => {
    const calls = (person: Person, of: Person, id: number) => [
      () => person.get(base(of)),
      () => person.get(one(of, id)),
      () => person.post(base(of), { plugin: 1 }),
      () => person.patch(one(of, id), { name: 'Changed' }),
      () => person.put(one(of, id), { plugin: 1, name: 'Changed' }),
      () => person.post(`${base(of)}rearrange/`, { orders: {} }),
      () => person.patch(`${base(of)}rearrange/`, { orders: {} }),
      () => person.delete(one(of, id)),
    ];
    const all = (made: (() => Promise<Answer>)[]) => Promise.all(made.map((call) => call()));
    let id: number;
    beforeAll(async () => {
      id = (await configure(owner, { plugin: (await install(owner)).id, name: 'Mine' })).id;
    });

    it('to other organizations and other projects', async () => {
      for (const answer of await all(calls(stranger, owner, id))) expect(answer).toEqual(NOT_FOUND());
      const { body: project } = await owner.post(owner.path('projects/'), { name: 'Other' });
      const elsewhere = (path: string) => `/api/projects/${project.id}/plugin_configs/${path}`;
      for (const answer of await Promise.all([
        stranger.get(one(stranger, id)),
        stranger.patch(one(stranger, id), { name: 'Changed' }),
        stranger.delete(one(stranger, id)),
        owner.get(elsewhere(`${id}/`)),
        owner.patch(elsewhere(`${id}/`), { name: 'Changed' }),
        owner.delete(elsewhere(`${id}/`)),
      ])) {
        expect(answer).toEqual(NOT_FOUND());
      }
      expect((await owner.get(one(owner, id))).body).toMatchObject({ name: 'Mine', deleted: false });
    });

    it('below plugins access 3, which is enough to read and write (PLUG-05)', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const config = await configure(person, { plugin });
      await restrict(person, PluginsAccess.None);
      for (const answer of await all(calls(person, person, config.id))) {
        expect(answer).toEqual(
          refusal(403, 'permission_denied', "Your organization's plugin access level is insufficient."),
        );
      }
      await restrict(person, PluginsAccess.Config);
      expect((await person.post(base(person), { plugin })).status).toBe(201);
      expect((await person.patch(one(person, config.id), { order: 4 })).status).toBe(200);
      expect((await person.delete(one(person, config.id))).status).toBe(204);
    });

    it('to keys without plugin:read or plugin:write, and to nobody by level', async () => {
      const member = await api.member(owner, 1, { scopes: ['plugin:read'] });
      const each = (await all(calls(member, owner, id))).map(({ status }) => status);
      expect(each).toEqual([200, 200, 403, 403, 403, 403, 403, 403]);
      const writer = await api.as(member, { scopes: ['plugin:write'] });
      expect((await writer.patch(one(owner, id), { description: 'x' })).status).toBe(200);
    });
  });

  describe('say which plugins are', () => {
    it('unused: enabled in no project (PLUG-30)', async () => {
      const person = await api.owner();
      const unused = async (of: Person): Promise<number[]> =>
        (await of.preferring.get(of.path('pipeline_destinations/unused/'))).body;
      const { id: plugin } = await install(person, { config_schema: {} });
      const { id } = await configure(person, { plugin });
      expect(await unused(person)).toContain(plugin);
      await person.patch(one(person, id), { enabled: true });
      expect(await unused(person)).not.toContain(plugin);
      expect(await unused(stranger)).not.toContain(plugin);
      await person.delete(one(person, id));
      expect(await unused(person)).toContain(plugin);
      const global = await install(root, { is_global: true, config_schema: {} });
      expect(await unused(person)).toContain(global.id);
      await configure(stranger, { plugin: global.id, enabled: true });
      for (const who of [root, person, stranger]) expect(await unused(who)).not.toContain(global.id);
    });

    it('sending data out (PLUG-31)', async () => {
      const person = await api.owner();
      const exporting = async (family = 'pipeline_destinations') =>
        (await person.preferring.get(person.path(`${family}/exports_unsubscribe_configs/`))).body;
      expect(await exporting()).toEqual([]);
      const plain = { config_schema: {} };
      const sender = await install(person, plain);
      const changer = await install(person, { ...plain, capabilities: { methods: ['processEvent'] } });
      const bare = await install(person, { ...plain, capabilities: {} });
      const none = await install(person, { ...plain, capabilities: null });
      const globals = await Promise.all(
        [{ methods: ['onEvent'] }, { methods: ['processEvent', 'onEvent'] }, {}].map((capabilities) =>
          install(root, { ...plain, is_global: true, capabilities }),
        ),
      );
      const first = await configure(person, { plugin: sender.id, enabled: true, order: 2 });
      const second = await configure(person, { plugin: changer.id, enabled: true, order: 1 });
      const third = await configure(person, { plugin: globals[0].id, enabled: true, order: 3 });
      await configure(person, { plugin: sender.id });
      for (const { id } of [bare, none, globals[1], globals[2]]) {
        await configure(person, { plugin: id, enabled: true });
      }
      await configure(stranger, { plugin: globals[0].id, enabled: true });
      expect(await exporting()).toEqual([second, first, third]);
      expect(await exporting('pipeline_import_apps')).toEqual([]);
    });
  });

  describe('leave a trace (PLUG-33)', () => {
    it('of what changed, before and after', async () => {
      const person = await api.owner();
      const { id: plugin } = await install(person);
      const { id } = await configure(person, { plugin, config: { host: 'a', apiKey: 'k' }, enabled: true });
      api.clock.advance({ seconds: 1 });
      await person.patch(one(person, id), {
        name: 'Named',
        enabled: false,
        order: 5,
        config: { region: 'eu', apiKey: 'other' },
      });
      await person.patch(one(person, id), { enabled: false, config: { region: 'eu', apiKey: SECRET_MASK } });
      api.clock.advance({ seconds: 1 });
      await person.delete(one(person, id));
      const [deleted, off, moved, updated, on, made, installed, ...others] = await activityOf(person);
      expect(others).toEqual([]);
      expect(installed.activity).toBe('installed');
      const change = (field: string, before: unknown, after: unknown) => ({
        field,
        action: before === null ? 'created' : after === null ? 'deleted' : 'changed',
        before,
        after,
      });
      expect(made).toMatchObject({
        activity: 'config_updated',
        item_id: String(plugin),
        scope: 'Plugin',
        user: { email: person.user.email },
        detail: {
          name: 'Sender',
          type: 'pipeline_destinations',
          changes: [
            change('id', null, id),
            change('config__host', null, 'a'),
            change('config__apiKey', null, SECRET_MASK),
          ],
        },
      });
      expect(on).toMatchObject({
        activity: 'enabled',
        detail: { changes: [change('enabled', false, true)] },
      });
      expect(updated).toMatchObject({
        activity: 'config_updated',
        detail: {
          name: 'Named',
          changes: [
            change('name', null, 'Named'),
            change('config__host', 'a', null),
            change('config__region', null, 'eu'),
            change('config__apiKey', SECRET_MASK, SECRET_MASK),
          ],
        },
      });
      expect(moved).toMatchObject({
        activity: 'order_changed',
        detail: { changes: [change('order', 1, 5)] },
      });
      expect(off).toMatchObject({
        activity: 'disabled',
        detail: { changes: [change('enabled', true, false)] },
      });
      expect(deleted).toMatchObject({
        activity: 'config_updated',
        detail: { changes: [change('deleted', false, true)] },
      });
    });

    it('of no more than a page of the log can hold', async () => {
      const person = await api.owner();
      const keys = Array.from({ length: 150 }, (_, index) => `k${index}`);
      const { id: plugin } = await install(person, {
        config_schema: keys.map((key) => ({ key, type: 'string' })),
      });
      const config = Object.fromEntries(keys.map((key) => [key, 'x'.repeat(2000)]));
      const { id } = await configure(person, { plugin, config });
      await person.patch(one(person, id), { config: { k149: 'y' } });
      const [cleared, made] = await activityOf(person);
      for (const { detail } of [cleared, made]) expect(detail.changes).toHaveLength(100);
      expect(made.detail.changes[1]).toEqual({
        field: 'config__k0',
        action: 'created',
        before: null,
        after: null,
      });
    });

    it('in the organization of the project, also for the global plugin of another', async () => {
      const plugin = await install(root, { is_global: true, config_schema: {} });
      const before = (await activityOf(root)).length;
      await configure(stranger, { plugin: plugin.id, enabled: true });
      expect((await activityOf(root)).length).toBe(before);
      const [entry] = await activityOf(stranger);
      expect(entry).toMatchObject({ activity: 'enabled', item_id: String(plugin.id) });
    });

    it('or undo the change', async () => {
      const { id: plugin } = await install(owner);
      const { id } = await configure(owner, { plugin, order: 1, name: 'Kept' });
      const quiet = jest.spyOn(Logger.prototype, 'error').mockImplementation();
      await api.rows(
        "ALTER TABLE activity_log ADD CONSTRAINT refuse CHECK (detail->>'name' <> 'Refused') NOT VALID",
      );
      try {
        expect((await owner.patch(one(owner, id), { name: 'Refused', order: 2 })).status).toBe(500);
        expect((await owner.post(base(owner), { plugin, name: 'Refused' })).status).toBe(500);
        expect((await owner.get(one(owner, id))).body).toMatchObject({ name: 'Kept', order: 1 });
        expect(await api.rows("SELECT 1 FROM plugin_configs WHERE name = 'Refused'")).toEqual([]);
      } finally {
        quiet.mockRestore();
        await api.rows('ALTER TABLE activity_log DROP CONSTRAINT refuse');
      }
    });
  });
});
