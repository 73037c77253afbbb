import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { AddressPolicy } from '../../src/shared/net/address-policy';
import { TestApi } from '../support/api';
import { LOCAL_CERTIFICATE, LOCAL_KEY } from '../support/local-certificate';
import { refusal, statuses } from '../support/matchers';
import { integrityOf, json, status } from '../support/plugin-host-server';
import { CAN, CODE, COMMIT, invalid, manifestOf, nothingAt, PluginWorld } from '../support/plugin-world';
import { packed } from '../support/tarball';

const BASE = 'pipeline_destinations/';

describe('Plugins from their sources', () => {
  let world: PluginWorld;
  beforeAll(async () => {
    world = await PluginWorld.start();
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    world.hosts.forget();
  });

  describe('are installed', () => {
    const files = {
      'plugin.json': manifestOf('Hello world', {
        description: 'Greets',
        icon: 'https://example.com/icon.png',
        config: [{ key: 'greeting', type: 'string' }],
        publicJobs: { greet: { payload: {} } },
        posthogVersion: '>= 1.25.0',
      }),
      'index.ts': CODE,
      'logo.png': Buffer.from([0x89, 0x50, 0x00]),
      'node_modules/x/index.js': 'x',
    };
    const described = {
      plugin_type: 'custom',
      name: 'Hello world',
      description: 'Greets',
      icon: 'https://example.com/icon.png',
      config_schema: [{ key: 'greeting', type: 'string' }],
      public_jobs: { greet: { payload: {} } },
      capabilities: CAN,
      is_global: false,
    };
    const source = { 'plugin.json': files['plugin.json'], 'index.ts': CODE };

    it('from GitHub (PLUG-09)', async () => {
      const url = world.publish('helloworldplugin', files);
      const { one, ...plugin } = await world.install(url);
      expect(plugin).toMatchObject({ ...described, url, tag: COMMIT[0], latest_tag: COMMIT[0] });
      expect((await world.owner.get(one)).body).toEqual(plugin);
      expect(await world.sourceOf(one)).toEqual(source);
      expect(await world.activitiesOf(plugin.id)).toEqual([
        expect.objectContaining({ activity: 'installed' }),
      ]);
      expect(world.hosts.forget()).toEqual([
        '/github/repos/hedgerow/helloworldplugin/commits/HEAD',
        `/github/repos/hedgerow/helloworldplugin/tarball/${COMMIT[0]}`,
        `/codeload/hedgerow/helloworldplugin/legacy.tar.gz/${COMMIT[0]}`,
      ]);
    });

    it.each([
      ['/tree/main', 'main', 'root'],
      ['/tree/main/plugins/inner', 'main', 'inner'],
      ['/tree/feature/x', 'feature/x', 'root'],
      ['/tree/feature/x/plugins/inner', 'feature/x', 'inner'],
      [`/commit/${COMMIT[1]}`, COMMIT[1], 'root'],
      ['/releases/tag/v1.0', 'v1.0', 'root'],
    ])('from GitHub at %s', async (rest, name, expected) => {
      const repository = world.newName();
      const archive = packed({
        'plugin.json': manifestOf('root'),
        'plugins/inner/plugin.json': manifestOf('inner'),
        'plugins/inner/index.js': CODE,
      });
      world.hosts.github(`hedgerow/${repository}`, { [name]: COMMIT[1] }, { [COMMIT[1]]: archive });
      const { one, ...plugin } = await world.install(world.addressOf(repository) + rest);
      expect(plugin).toMatchObject({
        name: expected,
        tag: COMMIT[1],
        url: world.addressOf(repository) + rest,
      });
      const inner = { 'plugin.json': manifestOf('inner'), 'index.js': CODE };
      if (expected === 'inner') expect(await world.sourceOf(one)).toEqual(inner);
    });

    it.each([
      ['https://gitlab.com/hedgerow/simple', 'hedgerow/simple', 'HEAD'],
      ['https://gitlab.com/hedgerow/group/project/-/tree/feature/x', 'hedgerow/group/project', 'feature/x'],
      ['https://gitlab.com/hedgerow/tagged/-/tags/v1', 'hedgerow/tagged', 'v1'],
      ['https://gitlab.com/hedgerow/inner/-/tree/main/one', 'hedgerow/inner', 'main'],
    ])('from GitLab: %s', async (url, project, name) => {
      const archive = url.endsWith('/one') ? packed(files, 'inner-main-1234/one') : packed(files, 'p-1234');
      world.hosts.gitlab(project, { [name]: COMMIT[2] }, { [COMMIT[2]]: archive });
      const { one, ...plugin } = await world.install(url);
      expect(plugin).toMatchObject({ ...described, url, tag: COMMIT[2], latest_tag: COMMIT[2] });
      expect(await world.sourceOf(one)).toEqual(source);
      // The token of the server's own is GitHub's.
      expect(world.hosts.asked.map(({ headers }) => headers.authorization)).not.toContain(
        'Bearer of-the-server',
      );
    });

    it.each([
      ['https://www.npmjs.com/package/hedgerow-plugin', 'hedgerow-plugin', '2.0.0'],
      ['https://www.npmjs.com/package/@hedgerow/plugin', '@hedgerow/plugin', '2.0.0'],
      ['https://www.npmjs.com/package/hedgerow-older/v/1.0.0', 'hedgerow-older', '1.0.0'],
      ['https://www.npmjs.com/package/hedgerow-tagged/v/latest', 'hedgerow-tagged', '2.0.0'],
    ])('from npm: %s', async (url, name, version) => {
      const [archive, other] = [packed(files), packed({ 'plugin.json': manifestOf('Other') })];
      const isNewest = version === '2.0.0';
      world.hosts.npm(name, {
        '1.0.0': { archive: isNewest ? other : archive },
        '2.0.0': { archive: isNewest ? archive : other },
      });
      const { one, ...plugin } = await world.install(url);
      expect(plugin).toMatchObject({ ...described, url, tag: version, latest_tag: version });
      expect(await world.sourceOf(one)).toEqual(source);
      expect(world.hosts.asked[0]?.headers.accept).toContain('application/vnd.npm.install-v1+json');
    });

    it('from an archive anywhere', async () => {
      const archive = packed(files);
      const credentials: (string | undefined)[] = [];
      const server = createServer({ key: LOCAL_KEY, cert: LOCAL_CERTIFICATE }, (request, response) => {
        credentials.push(request.headers.authorization);
        response.end(archive);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const agentOf = AddressPolicy.prototype.httpsAgent;
      const trusting = jest.spyOn(AddressPolicy.prototype, 'httpsAgent').mockImplementation(function (
        this: AddressPolicy,
      ) {
        const agent = agentOf.call(this);
        agent.options.ca = LOCAL_CERTIFICATE;
        return agent;
      });
      try {
        const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/dir/plugin.tar.gz`;
        const { one, ...plugin } = await world.install(`${url}?private_token=opens`);
        const tag = integrityOf(archive);
        expect(plugin).toMatchObject({ ...described, url, tag, latest_tag: tag });
        expect(await world.sourceOf(one)).toEqual(source);
        expect((await world.check(one)).body.plugin).toEqual(plugin);
        expect((await world.upgrade(one)).body).toEqual(plugin);
        expect(credentials).toEqual(['Bearer opens', 'Bearer opens', 'Bearer opens']);
        trusting.mockRestore();
        expect(await world.owner.post(world.path, { url: url.replace('plugin', 'other') })).toMatchObject({
          status: 502,
        });
      } finally {
        trusting.mockRestore();
        server.close();
      }
    });

    it('from a folder below PLUGIN_DIR', async () => {
      const place = join(world.folder, 'mine', 'hello');
      await mkdir(join(place, 'src'), { recursive: true });
      await mkdir(join(place, 'node_modules', 'x'), { recursive: true });
      await symlink('/etc', join(place, 'node_modules', 'x', 'etc'));
      await writeFile(join(place, 'plugin.json'), files['plugin.json']);
      await writeFile(join(place, 'index.ts'), 'export * from "./src/code"');
      await writeFile(join(place, 'src', 'code.ts'), CODE);
      await writeFile(join(place, 'logo.png'), files['logo.png']);
      const { one, ...plugin } = await world.install('file:mine/hello', {
        plugin_type: 'custom',
        tag: 'ignored',
      });
      const local = { plugin_type: 'local', url: 'file:mine/hello', tag: null, latest_tag: null };
      expect(plugin).toMatchObject({ ...described, ...local });
      expect(Object.keys(await world.sourceOf(one)).sort()).toEqual([
        'index.ts',
        'plugin.json',
        'src/code.ts',
      ]);
      const again = invalid('Plugin from URL "file:mine/hello" already installed!');
      expect(await world.owner.post(world.path, { url: `file:${place}/` })).toEqual(again);
      expect((await world.check(one)).body.plugin).toEqual(plugin);
      await writeFile(join(place, 'plugin.json'), manifestOf('Renamed'));
      expect((await world.upgrade(one)).body).toMatchObject({ name: 'Renamed', config_schema: {} });
    });

    it('with what plugin.json says before what the caller says, but capabilities', async () => {
      const said = {
        plugin_type: 'repository',
        name: 'Mine',
        description: 'Mine',
        icon: 'mine',
        config_schema: { mine: {} },
        public_jobs: { mine: {} },
        tag: 'mine',
        metrics: { mine: 'sum' },
        capabilities: { methods: ['processEvent'] },
      };
      const whole = await world.install(world.publish(world.newName(), files), said);
      expect(whole).toMatchObject({
        ...described,
        plugin_type: 'repository',
        tag: COMMIT[0],
        metrics: { mine: 'sum' },
        capabilities: { methods: ['processEvent'] },
      });
      const bare = await world.install(
        world.publish(world.newName(), { 'plugin.json': manifestOf('Bare') }),
        {
          ...said,
          capabilities: null,
        },
      );
      expect(bare).toMatchObject({
        name: 'Bare',
        description: 'Mine',
        icon: 'mine',
        config_schema: {},
        public_jobs: {},
        capabilities: {},
      });
    });

    it('once, however many try at once, and whatever their token (PLUG-11)', async () => {
      const url = world.publish(world.newName(), files);
      const stranger = await world.api.owner();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const person = index % 2 ? world.owner : stranger;
          return person.post(person.path(BASE), { url: `${url}?private_token=${index}` });
        }),
      );
      expect(statuses(answers)).toEqual({ 201: 1, 400: 19 });
      const again = invalid(`Plugin from URL "${url}" already installed!`);
      for (const answer of answers) if (answer.status === 400) expect(answer).toEqual(again);
      const rows = await world.api.rows(
        'SELECT 1 FROM plugin_source_files f JOIN plugins p ON p.id = f.plugin_id WHERE p.url = $1',
        [url],
      );
      expect(rows).toHaveLength(2);
      world.hosts.forget();
      expect(await world.owner.post(world.path, { url })).toEqual(again);
      expect(world.hosts.asked).toEqual([]);
    });

    it('by who may, before anything is fetched (PLUG-14)', async () => {
      const url = world.publish(world.newName(), files);
      const refused = refusal(403, 'permission_denied', "This organization can't manage global plugins!");
      expect(await world.owner.post(world.path, { url, is_global: true })).toEqual(refused);
      expect(world.hosts.asked).toEqual([]);
    });
  });

  describe('are told tokens', () => {
    const authorizations = () =>
      world.hosts.asked.map(({ host, headers }) => [host.split(':')[0], headers.authorization]);
    const ASKED = (token: string) => [
      ['127.0.0.1', `Bearer ${token}`],
      ['127.0.0.1', `Bearer ${token}`],
      ['localhost', undefined],
    ];

    it('that are theirs alone, before those of the server', async () => {
      const plain = await world.install(
        world.publish(world.newName(), { 'plugin.json': manifestOf('Plain') }),
      );
      expect(authorizations()).toEqual(ASKED('of-the-server'));
      const url = world.publish(world.newName(), { 'plugin.json': manifestOf('Private') });
      world.hosts.forget();
      const { one } = await world.install(`${url}?private_token=own%2Fsecret`);
      expect(authorizations()).toEqual(ASKED('own/secret'));
      world.hosts.forget();
      await world.upgrade(one);
      expect(authorizations()).toEqual(ASKED('own/secret'));
      world.hosts.forget();
      await world.check(one);
      await world.upgrade(plain.one);
      expect(authorizations()).toEqual([['127.0.0.1', 'Bearer own/secret'], ...ASKED('of-the-server')]);
    });

    it('on npm, where the archive is on the same host', async () => {
      const archive = packed({ 'plugin.json': manifestOf('Private') });
      world.hosts.npm('hedgerow-private', { '1.0.0': { archive } });
      await world.install('https://www.npmjs.com/package/hedgerow-private?private_token=npm-secret');
      expect(authorizations()).toEqual([
        ['127.0.0.1', 'Bearer npm-secret'],
        ['127.0.0.1', 'Bearer npm-secret'],
      ]);
      const dist = { tarball: `${world.hosts.otherUrl}/npm/hedgerow-private/-/hedgerow-private-1.0.0.tgz` };
      const version = {
        name: 'hedgerow-split',
        version: '1.0.0',
        dist: { ...dist, integrity: integrityOf(archive) },
      };
      world.hosts.on(
        '/npm/hedgerow-split',
        json({ name: 'hedgerow-split', 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }),
      );
      world.hosts.forget();
      await world.install('https://www.npmjs.com/package/hedgerow-split?private_token=npm-secret');
      expect(authorizations()).toEqual([
        ['127.0.0.1', 'Bearer npm-secret'],
        ['localhost', undefined],
      ]);
    });

    it('that nobody gets to see', async () => {
      const lines: unknown[] = [];
      const said = (...args: unknown[]) => void lines.push(...args);
      const spies = (['log', 'warn', 'error', 'debug'] as const).map((level) =>
        jest.spyOn(Logger.prototype, level).mockImplementation(said),
      );
      const secret = 'very-secret';
      const url = world.publish(world.newName(), { 'plugin.json': manifestOf('Private') });
      const answers = [
        await world.owner.post(world.path, { url: `${url}?private_token=${secret}` }),
        await world.owner.post(world.path, { url: `${url}?private_token=${secret}` }),
        await world.owner.post(world.path, {
          url: `${world.addressOf(world.newName())}?private_token=${secret}`,
        }),
      ];
      const one = `${world.path}${answers[0]?.body.id}/`;
      world.hosts.on(`/github/repos/hedgerow/${url.split('/').at(-1)}/commits/HEAD`, status(500, secret));
      answers.push(
        await world.upgrade(one),
        await world.check(one),
        await world.owner.preferring.get(`${world.path}activity/?limit=100`),
      );
      expect(answers.map((answer) => answer.status)).toEqual([201, 400, 400, 502, 502, 200]);
      for (const { text } of answers) expect(text).not.toContain(secret);
      expect(lines.map(String).join()).not.toContain(secret);
      const rows = JSON.stringify(await world.everything());
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain(Buffer.from(secret).toString('hex'));
      for (const spy of spies) spy.mockRestore();
    });
  });

  // Needs the internet: `TEST_NPM_REGISTRY_URL=https://… npx jest pipeline-sources`.
  const registry = process.env.TEST_NPM_REGISTRY_URL;
  if (registry) {
    it('are fetched from a real registry', async () => {
      const real = await TestApi.start({ NPM_REGISTRY_URL: registry, ALLOW_PRIVATE_PLUGIN_SOURCES: 'true' });
      try {
        const person = await real.owner();
        const ask = (url: string) => person.post(person.path(BASE), { url });
        // That its files are looked through shows that it was found, fetched, verified and unpacked.
        const noPlugin = invalid('Could not find plugin.json in the plugin');
        expect(await ask('https://www.npmjs.com/package/is-number')).toEqual(noPlugin);
        expect(await ask('https://www.npmjs.com/package/@types/semver/v/7.5.0')).toEqual(noPlugin);
        const gone = 'https://www.npmjs.com/package/is-number/v/99.0.0';
        expect(await ask(gone)).toEqual(nothingAt(gone));
      } finally {
        await real.stop();
      }
    });
  }
});
