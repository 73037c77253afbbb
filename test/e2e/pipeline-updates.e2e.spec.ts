import { Logger } from '@nestjs/common';
import { NOT_FOUND } from '../support/matchers';
import { meanwhile } from '../support/meanwhile';
import { status } from '../support/plugin-host-server';
import {
  CAN,
  CANNOT,
  CODE,
  COMMIT,
  manifestOf,
  nothingAt,
  PluginWorld,
  unreachable,
} from '../support/plugin-world';
import { packed } from '../support/tarball';

const _BASE = 'pipeline_destinations/';

describe('Plugins', () => {
  let world: PluginWorld;
  beforeAll(async () => {
    world = await PluginWorld.start();
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    world.hosts.forget();
  });

  describe('are looked after', () => {
    const first = {
      'plugin.json': manifestOf('First', { config: { a: {} } }),
      'index.js': CODE,
      'old.js': '',
    };
    const second = {
      'plugin.json': manifestOf('Second'),
      'index.js': 'exports.processEvent = (e) => e',
      'new.js': '',
    };

    it('by asking for updates, at most every 30 minutes, and with the ETag (PLUG-28)', async () => {
      const name = world.newName();
      const { one, ...plugin } = await world.install(world.publish(name, first));
      world.hosts.forget();
      const asked = `/github/repos/hedgerow/${name}/commits/HEAD`;
      expect((await world.check(one)).body).toEqual({ plugin });
      expect(world.hosts.forget()).toEqual([asked]);
      world.publish(name, second, COMMIT[1]);
      world.api.clock.advance({ minutes: 29 });
      expect((await world.check(one)).body).toEqual({ plugin });
      expect(world.hosts.forget()).toEqual([]);
      world.api.clock.advance({ minutes: 2 });
      const newer = { ...plugin, latest_tag: COMMIT[1] };
      expect((await world.check(one)).body).toEqual({ plugin: newer });
      expect(world.hosts.asked.map(({ headers }) => headers['if-none-match'])).toEqual([`"${COMMIT[0]}"`]);
      world.api.clock.advance({ minutes: 31 });
      expect((await world.check(one)).body).toEqual({ plugin: newer });
      expect(world.hosts.asked.at(-1)?.headers['if-none-match']).toBe(`"${COMMIT[1]}"`);
      expect((await world.owner.get(one)).body).toEqual(newer);
      expect(await world.sourceOf(one)).toEqual(first);
      expect((await world.activitiesOf(plugin.id)).length).toBe(1);
    });

    it('by asking npm', async () => {
      const name = world.newName();
      const archive = packed(first);
      world.hosts.npm(name, { '1.0.0': { archive } });
      const { one } = await world.install(`https://www.npmjs.com/package/${name}`);
      const pinned = await world.install(`https://www.npmjs.com/package/${name}/v/1.0.0`);
      world.hosts.npm(name, { '1.0.0': { archive }, '1.1.0': { archive: packed(second) } });
      for (let times = 0; times < 2; times += 1) {
        expect((await world.check(one)).body.plugin).toMatchObject({ tag: '1.0.0', latest_tag: '1.1.0' });
        expect((await world.check(pinned.one)).body.plugin).toMatchObject({
          tag: '1.0.0',
          latest_tag: '1.0.0',
        });
        world.api.clock.advance({ minutes: 31 });
      }
      expect((await world.upgrade(one)).body).toMatchObject({
        name: 'Second',
        tag: '1.1.0',
        latest_tag: '1.1.0',
      });
      expect((await world.upgrade(pinned.one)).body).toMatchObject({ name: 'First', tag: '1.0.0' });
    });

    it('and told when nobody answers', async () => {
      const name = world.newName();
      const url = world.publish(name, first);
      const { one, ...plugin } = await world.install(url);
      world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, status(500));
      expect(await world.check(one)).toEqual(unreachable(url, 'it answered 500'));
      expect(await world.upgrade(one)).toEqual(unreachable(url, 'it answered 500'));
      world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, status(404));
      expect(await world.check(one)).toEqual(nothingAt(url));
      expect(await world.upgrade(one)).toEqual(nothingAt(url));
      expect((await world.owner.get(one)).body).toEqual(plugin);
      world.publish(name, second, COMMIT[1]);
      expect((await world.check(one)).body.plugin.latest_tag).toBe(COMMIT[1]);
    });

    it('by upgrading: all of it is new (PLUG-27)', async () => {
      const name = world.newName();
      const { one, ...plugin } = await world.install(world.publish(name, first));
      await world.owner.patch(`${one}update_source/`, { 'mine.js': 'edited', 'index.js': null });
      await world.owner.patch(one, { description: 'Mine', capabilities: { methods: ['mine'] } });
      world.publish(name, second, COMMIT[1]);
      world.api.clock.advance({ seconds: 1 });
      const upgraded = {
        ...plugin,
        name: 'Second',
        description: 'Mine',
        config_schema: {},
        capabilities: { ...CANNOT, methods: ['processEvent'] },
        tag: COMMIT[1],
        latest_tag: COMMIT[1],
      };
      expect((await world.upgrade(one)).body).toEqual(upgraded);
      expect((await world.owner.get(one)).body).toEqual(upgraded);
      expect(await world.sourceOf(one)).toEqual(second);
      const [entry] = await world.activitiesOf(plugin.id);
      expect(entry).toMatchObject({ activity: 'upgraded', detail: { name: 'Second' } });
      expect(entry.detail.changes).toEqual(
        expect.arrayContaining([
          { field: 'tag', action: 'changed', before: COMMIT[0], after: COMMIT[1] },
          { field: 'mine.js', action: 'deleted', before: null, after: null },
          { field: 'new.js', action: 'created', before: null, after: null },
        ]),
      );
    });

    it.each<[string, number, (name: string) => void]>([
      [
        'the archive is missing',
        400,
        (name) => world.hosts.on(`/github/repos/hedgerow/${name}/tarball/${COMMIT[1]}`, status(404)),
      ],
      ['the archive is malformed', 400, (name) => world.publish(name, { 'plugin.json': '{' }, COMMIT[1])],
      ['the archive has no plugin', 400, (name) => world.publish(name, { 'index.js': '' }, COMMIT[1])],
      [
        'the archive is cut off',
        502,
        (name) =>
          world.hosts.on(`/github/repos/hedgerow/${name}/tarball/${COMMIT[1]}`, (request, response) => {
            response.writeHead(200, { 'Content-Length': '1000' });
            response.write('x', () => request.socket.destroy());
          }),
      ],
    ])('and keep what they were when %s', async (_what, code, spoil) => {
      const name = world.newName();
      const { one } = await world.install(world.publish(name, first));
      world.publish(name, second, COMMIT[1]);
      spoil(name);
      const before = await world.everything();
      expect((await world.upgrade(one)).status).toBe(code);
      expect(await world.everything()).toEqual(before);
    });

    it('and keep what they were when the upgrade cannot be recorded', async () => {
      const name = world.newName();
      const { one } = await world.install(world.publish(name, first));
      world.publish(name, { ...second, 'plugin.json': manifestOf('Refused') }, COMMIT[1]);
      const before = await world.everything();
      const quiet = jest.spyOn(Logger.prototype, 'error').mockImplementation();
      await world.api.rows(
        "ALTER TABLE activity_log ADD CONSTRAINT refuse CHECK (detail->>'name' <> 'Refused') NOT VALID",
      );
      try {
        expect((await world.upgrade(one)).status).toBe(500);
        expect(await world.everything()).toEqual(before);
      } finally {
        await world.api.rows('ALTER TABLE activity_log DROP CONSTRAINT refuse');
        quiet.mockRestore();
      }
    });

    it('and stay gone when they are uninstalled meanwhile', async () => {
      const name = world.newName();
      const { one, id } = await world.install(world.publish(name, first));
      for (const ask of [world.check, world.upgrade]) {
        world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, async (_, response) => {
          await world.api.rows('DELETE FROM plugins WHERE id = $1', [id]);
          response.end(COMMIT[0]);
        });
        expect(await ask(one)).toEqual(NOT_FOUND());
      }
    });

    it('once, when they are upgraded twice at once', async () => {
      const name = world.newName();
      const { one, id } = await world.install(world.publish(name, first));
      world.publish(name, second, COMMIT[1]);
      let other: Promise<unknown> = Promise.resolve();
      // Before the first gets its archive, the second has been upgraded to a newer one.
      world.hosts.on(`/github/repos/hedgerow/${name}/tarball/${COMMIT[1]}`, async (_, response) => {
        world.publish(name, { ...second, 'plugin.json': manifestOf('Third') }, COMMIT[2]);
        world.api.clock.advance({ seconds: 1 });
        other = world.upgrade(one);
        await other;
        response.end(packed(second));
      });
      const third = { name: 'Third', tag: COMMIT[2] };
      expect((await world.upgrade(one)).body).toMatchObject(third);
      expect(await other).toMatchObject({ body: third });
      expect((await world.owner.get(one)).body).toMatchObject(third);
      const entries = await world.activitiesOf(id);
      expect(entries.map(({ activity }: { activity: string }) => activity)).toEqual([
        'upgraded',
        'installed',
      ]);
    });

    it('and do not forget a fetch for an older answer', async () => {
      const name = world.newName();
      const { one } = await world.install(world.publish(name, first));
      world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, async (_, response) => {
        world.publish(name, second, COMMIT[1]);
        await world.upgrade(one);
        response.end(COMMIT[0]);
      });
      const newest = { tag: COMMIT[1], latest_tag: COMMIT[1] };
      expect((await world.check(one)).body.plugin).toMatchObject(newest);
      expect((await world.owner.get(one)).body).toMatchObject(newest);
    });

    it('and hide what becomes a secret', async () => {
      const name = world.newName();
      const told = { type: 'string' };
      const open = { ...first, 'plugin.json': manifestOf('Open', { config: { key: told } }) };
      const { id, one } = await world.install(world.publish(name, open));
      const configs = world.owner.projectPath('plugin_configs/');
      const config = await world.owner.post(configs, { plugin: id, config: { key: 'in the clear' } });
      expect(config.body.config).toEqual({ key: 'in the clear' });
      const closed = manifestOf('Closed', { config: { key: { ...told, secret: true } } });
      world.publish(name, { ...first, 'plugin.json': closed }, COMMIT[1]);
      expect((await world.upgrade(one)).body.name).toBe('Closed');
      const { text } = await world.owner.get(`${configs}${config.body.id}/`);
      expect(text).not.toContain('in the clear');
      expect(JSON.stringify(await world.api.rows('SELECT * FROM plugin_configs'))).not.toContain(
        'in the clear',
      );
    });

    it('and wait for who edits them meanwhile', async () => {
      const name = world.newName();
      const { one, id } = await world.install(world.publish(name, first));
      world.publish(name, second, COMMIT[1]);
      const edit = "UPDATE plugins SET description = 'Meanwhile' WHERE id = $1";
      const answer = await meanwhile(world.api, edit, [id], () => world.upgrade(one));
      expect(answer.body).toMatchObject({ name: 'Second', description: 'Meanwhile' });
    });

    it('as they are when they have no address', async () => {
      const { body: plugin } = await world.owner.post(world.path, { plugin_type: 'source', name: 'Mine' });
      const one = `${world.path}${plugin.id}/`;
      expect((await world.check(one)).body).toEqual({ plugin });
      expect((await world.upgrade(one)).body).toEqual(plugin);
      expect(world.hosts.asked).toEqual([]);
    });
  });

  describe('have code', () => {
    let id: number;
    let one: string;
    beforeEach(async () => {
      const { body } = await world.owner.post(world.path, {
        name: 'Code',
        capabilities: { methods: ['said'] },
      });
      id = body.id;
      one = `${world.path}${id}/`;
    });
    const edit = async (body: object) => {
      expect((await world.owner.preferring.patch(`${one}update_source/`, body)).status).toBe(200);
      return (await world.owner.get(one)).body.capabilities;
    };
    const outcomes = () =>
      world.api.rows(
        'SELECT filename, status, transpiled, error FROM plugin_source_files WHERE plugin_id = $1 ORDER BY filename',
        [id],
      );

    it('that says what they can do, whenever it is edited', async () => {
      expect(await edit({ 'plugin.json': manifestOf('Code'), 'site.ts': '' })).toEqual({ methods: ['said'] });
      expect(await edit({ 'index.ts': CODE })).toEqual(CAN);
      const [entry] = await world.activitiesOf(id);
      expect(entry.detail.changes).toContainEqual({
        field: 'capabilities',
        action: 'changed',
        before: { methods: ['said'] },
        after: CAN,
      });
      await world.owner.patch(one, { capabilities: { methods: ['said'] } });
      expect(await edit({ 'index.ts': CODE })).toEqual({ methods: ['said'] });
      expect(await edit({ 'index.ts': 'export const runEveryHour = () => {}' })).toEqual({
        ...CANNOT,
        scheduled_tasks: ['runEveryHour'],
      });
      expect(await edit({ 'lib.js': CODE, 'plugin.json': manifestOf('Code', { main: 'lib.js' }) })).toEqual(
        CAN,
      );
      expect(await edit({ 'lib.js': null, 'index.ts': null })).toEqual({});
    });

    it('that may be wrong (PLUG-25)', async () => {
      expect(await edit({ 'index.ts': 'export function onEvent( {', 'other.ts': '(' })).toEqual({});
      const wrong = {
        filename: 'index.ts',
        status: 'ERROR',
        transpiled: null,
        error: expect.stringMatching(/^Line 1/),
      };
      const other = { filename: 'other.ts', status: null, transpiled: null, error: null };
      expect(await outcomes()).toEqual([wrong, other]);
      expect(await edit({ 'other.ts': null, 'index.ts': CODE })).toEqual(CAN);
      expect(await outcomes()).toEqual([{ ...other, filename: 'index.ts' }]);
    });

    it('that is transpiled for the browser (PLUG-25)', async () => {
      await edit({
        'site.ts': 'export const a: number = 1',
        'frontend.tsx': 'export const b = <p',
        'x.ts': 'let c: 1',
      });
      const rows = [
        {
          filename: 'frontend.tsx',
          status: 'ERROR',
          transpiled: null,
          error: expect.stringMatching(/^Line 1/),
        },
        { filename: 'site.ts', status: 'TRANSPILED', transpiled: 'export const a = 1;\n', error: null },
        { filename: 'x.ts', status: null, transpiled: null, error: null },
      ];
      expect(await outcomes()).toEqual(rows);
      await edit({ 'frontend.tsx': 'export const b = <p />' });
      expect((await outcomes())[0]).toMatchObject({ status: 'TRANSPILED', error: null });
    });

    it('that is compiled when they are installed and upgraded', async () => {
      const name = world.newName();
      const files = { 'plugin.json': manifestOf('Site'), 'site.ts': 'let a: number', 'index.js': '(' };
      const plugin = await world.install(world.publish(name, files));
      expect(plugin.capabilities).toEqual({});
      id = plugin.id;
      expect(await outcomes()).toEqual([
        { filename: 'index.js', status: 'ERROR', transpiled: null, error: expect.any(String) },
        { filename: 'plugin.json', status: null, transpiled: null, error: null },
        { filename: 'site.ts', status: 'TRANSPILED', transpiled: 'let a;\n', error: null },
      ]);
      world.publish(name, { ...files, 'index.js': CODE, 'site.ts': 'let let' }, COMMIT[1]);
      expect((await world.upgrade(plugin.one)).body.capabilities).toEqual(CAN);
      expect((await outcomes()).map(({ status }) => status)).toEqual([null, null, 'ERROR']);
    });
  });
});
