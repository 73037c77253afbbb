import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FetchLimits } from '../../src/pipeline/hosts/fetch-limits';
import { TestApi } from '../support/api';
import { refusal } from '../support/matchers';
import { type Handler, integrityOf, json, redirect, status } from '../support/plugin-host-server';
import { COMMIT, invalid, manifestOf, nothingAt, PluginWorld, unreachable } from '../support/plugin-world';
import { packed, type TarEntry, tgz } from '../support/tarball';

const BASE = 'pipeline_destinations/';

describe('Sources of plugins', () => {
  let world: PluginWorld;
  beforeAll(async () => {
    world = await PluginWorld.start();
  });
  afterAll(() => world.stop());
  beforeEach(() => {
    world.hosts.forget();
  });

  describe('are refused, and nothing is stored', () => {
    const refused = async (url: string, expected: unknown) => {
      const before = await world.everything();
      expect(await world.owner.post(world.path, { url })).toEqual(expected);
      expect(await world.everything()).toEqual(before);
    };

    it.each<[string, Record<string, string>, string | RegExp]>([
      ['no plugin.json (PLUG-12)', { 'index.js': '' }, 'Could not find plugin.json in the plugin'],
      ['one elsewhere', { 'src/plugin.json': '{}', 'a.js': '' }, 'Could not find plugin.json in the plugin'],
      ['a malformed one', { 'plugin.json': '{' }, 'plugin.json: JSON parse error.'],
      ['one without a name', { 'plugin.json': '{}' }, 'plugin.json: name: This field is required.'],
      [
        'a config without state (PLUG-12)',
        { 'plugin.json': manifestOf('a', { stateless: true, config: { a: {} } }) },
        'Stateless plugins cannot have a config!',
      ],
      [
        'another version of PostHog (PLUG-13)',
        { 'plugin.json': manifestOf('a', { posthogVersion: '>= 2' }) },
        /^Currently running PostHog version \d\S+ does not match this plugin's semantic version requirement ">= 2"\.$/,
      ],
      [
        'no version of PostHog (PLUG-13)',
        { 'plugin.json': manifestOf('a', { posthogVersion: 'new' }) },
        'Invalid PostHog semantic version requirement "new"!',
      ],
    ])('with %s', async (_what, files, detail) => {
      const expected = typeof detail === 'string' ? detail : expect.stringMatching(detail);
      await refused(world.publish(world.newName(), files), invalid(expected));
    });

    it('with more source than a plugin may have', async () => {
      const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}.js`, '']));
      const files = { 'plugin.json': manifestOf('Many'), ...many };
      await refused(
        world.publish(world.newName(), files),
        refusal(400, 'max_length', 'Ensure the plugin has no more than 100 source files.'),
      );
    });

    it.each<[string, TarEntry[] | Buffer]>([
      ['paths that lead out', [{ path: 'p/../../index.js' }]],
      ['absolute paths', [{ path: '/index.js' }]],
      ['symbolic links', [{ path: 'p/index.js', type: '2', link: '/etc/passwd' }]],
      ['hard links', [{ path: 'p/index.js', type: '1', link: '/etc/passwd' }]],
      ['devices', [{ path: 'p/index.js', type: '4' }]],
      ['more than 60 MiB', [{ path: 'p/a.bin', content: Buffer.alloc(61 * 1024 * 1024) }]],
      ['more than 5000 files', Array.from({ length: 5001 }, (_, index) => ({ path: `p/${index}` }))],
      ['code that is no text', [{ path: 'p/index.js', content: Buffer.from([0xff]) }]],
      ['something else than an archive', Buffer.from('<html>')],
      ['nothing', Buffer.alloc(0)],
    ])('as an archive with %s', async (_what, content) => {
      const name = world.newName();
      const manifest = { path: 'p/plugin.json', content: manifestOf('Evil') };
      const archive = Buffer.isBuffer(content) ? content : tgz([manifest, ...content]);
      world.hosts.github(`hedgerow/${name}`, { HEAD: COMMIT[0] }, { [COMMIT[0]]: archive });
      await refused(world.addressOf(name), invalid(expect.stringMatching(/plugin/)));
    });

    it('as an archive of more than 20 MiB', async () => {
      const name = world.newName();
      const archive = Buffer.alloc(20 * 1024 * 1024 + 1);
      world.hosts.github(`hedgerow/${name}`, { HEAD: COMMIT[0] }, { [COMMIT[0]]: archive });
      const url = world.addressOf(name);
      await refused(url, invalid(`The plugin at "${url}" is larger than 20971520 bytes.`));
    });

    it.each([
      ['another', { integrity: integrityOf(Buffer.from('another')) }],
      ['none', { integrity: '' }],
    ])('as a package whose hash is %s', async (_what, integrity) => {
      const name = world.newName();
      world.hosts.npm(name, {
        '1.0.0': { archive: packed({ 'plugin.json': manifestOf('Evil') }), ...integrity },
      });
      const url = `https://www.npmjs.com/package/${name}`;
      await refused(url, unreachable(url, 'the hash of its archive is not the announced one'));
    });

    it.each<[string, unknown]>([
      ['nothing', null],
      ['a list', []],
      ['no versions', {}],
      ['versions that are none', { versions: { '1.0.0': 5 }, 'dist-tags': { latest: '1.0.0' } }],
      [
        'a version without an archive',
        { versions: { '1.0.0': { version: '1.0.0' } }, 'dist-tags': { latest: '1.0.0' } },
      ],
      ...['https://github.com/o/r', 'git+https://example.com/o/r', 'https://'].map(
        (tarball): [string, unknown] => [
          `an archive at ${tarball}`,
          {
            versions: { '1.0.0': { version: '1.0.0', dist: { tarball, integrity: 'sha512-x' } } },
            'dist-tags': { latest: '1.0.0' },
          },
        ],
      ),
      [
        'an archive on the disk',
        {
          versions: {
            '1.0.0': { version: '1.0.0', dist: { tarball: 'file:///etc/passwd', integrity: 'sha512-x' } },
          },
          'dist-tags': { latest: '1.0.0' },
        },
      ],
    ])('as a package that the registry describes with %s', async (what, description) => {
      const name = world.newName();
      const described = description && !Array.isArray(description) ? { name, ...description } : description;
      world.hosts.on(`/npm/${name}`, json(described));
      const url = `https://www.npmjs.com/package/${name}`;
      const isNone = ['a list', 'no versions'].includes(what);
      await refused(url, isNone ? nothingAt(url) : unreachable(url, 'its answer describes no package'));
    });

    it('as a version that there is not', async () => {
      const name = world.newName();
      world.hosts.npm(name, { '1.0.0': { archive: packed({}) } });
      const url = `https://www.npmjs.com/package/${name}/v/2.0.0`;
      await refused(url, nothingAt(url));
    });

    it.each([
      'https://www.npmjs.com/package/evil/v/evil.tgz',
      'https://www.npmjs.com/package/node_modules',
      'https://www.npmjs.com/package/a%2fb',
    ])('as what npm takes for something else than a package: %s', async (url) => {
      await refused(url, expect.objectContaining({ status: 400 }));
      expect(world.hosts.asked).toEqual([]);
    });

    it.each(['none', 'mine/none', '../outside', '/etc', 'linked', 'alone'])(
      'as the folder %s',
      async (name) => {
        await mkdir(join(world.folder, 'alone'), { recursive: true });
        await symlink('/etc', join(world.folder, 'linked')).catch(() => undefined);
        await refused(`file:${name}`, invalid(`Could not load plugin.json from: ${name}`));
      },
    );

    it('as a folder with links', async () => {
      await mkdir(join(world.folder, 'links'), { recursive: true });
      await writeFile(join(world.folder, 'links', 'plugin.json'), manifestOf('Links'));
      await symlink('/etc/passwd', join(world.folder, 'links', 'index.js'));
      await refused('file:links', invalid('The plugin has something else than files: index.js'));
    });

    const failures: [string, Handler, (url: string) => unknown, ((url: string) => unknown)?][] = [
      ['404', status(404), nothingAt],
      ['401', status(401), nothingAt],
      ['403', status(403), nothingAt],
      ['422', status(422), nothingAt],
      [
        '403, as it limits',
        status(403, {}, { 'X-RateLimit-Remaining': '0' }),
        (url) => unreachable(url, 'it limits how often it is asked (403), try again later'),
      ],
      [
        '429',
        status(429),
        (url) => unreachable(url, 'it limits how often it is asked (429), try again later'),
      ],
      ['500', status(500), (url) => unreachable(url, 'it answered 500')],
      ['503', status(503), (url) => unreachable(url, 'it answered 503')],
      ['304', status(304), (url) => unreachable(url, 'it answered 304')],
      [
        'what is no commit',
        json({ id: '../../x' }),
        (url) => unreachable(url, 'its answer names no commit'),
        () => invalid(expect.stringContaining('cannot be read')),
      ],
      [
        'nothing',
        (request) => request.socket.destroy(),
        (url) => unreachable(url, 'it ended the connection'),
      ],
      [
        'half of it',
        (request, response) => {
          response.writeHead(200, { 'Content-Length': '40' });
          response.write('1234', () => request.socket.destroy());
        },
        (url) => unreachable(url, 'it ended the connection'),
      ],
      [
        'redirects without end',
        (request, response) => redirect(request.url ?? '')(request, response),
        (url) => unreachable(url, 'it redirects more than 5 times'),
      ],
      ['a redirect to nowhere', redirect('http://'), (url) => unreachable(url, 'it redirects to no address')],
    ];

    it.each(
      failures.map(
        ([what, handler, expected, archived = expected]) => [what, handler, expected, archived] as const,
      ),
    )('when the host answers %s', async (_what, handler, expected, archived) => {
      const name = world.newName();
      world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, handler);
      await refused(world.addressOf(name), expected(world.addressOf(name)));
      // The same where the archive should be.
      const other = world.newName();
      const url = world.publish(other, { 'plugin.json': manifestOf('Other') });
      world.hosts.on(`/github/repos/hedgerow/${other}/tarball/${COMMIT[0]}`, handler);
      await refused(url, archived(url));
    });

    it('without the setting that allows private addresses, and without PLUGIN_DIR', async () => {
      const strict = await TestApi.start({ ...world.hosts.env, ALLOW_PRIVATE_PLUGIN_SOURCES: 'false' });
      try {
        const person = await strict.owner();
        for (const url of [
          'https://github.com/o/r',
          'https://gitlab.com/o/r',
          'https://www.npmjs.com/package/a',
        ]) {
          const answer = await person.post(person.path(BASE), { url });
          expect([answer.status, answer.body.code]).toEqual([502, 'source_unavailable']);
        }
        const archives = ['https://127.0.0.1/a.tgz', 'https://localhost/a.tgz', 'https://[::1]/a.tgz'];
        for (const url of [...archives, 'https://169.254.169.254/a.tgz', 'https://10.0.0.1/a.tar.gz']) {
          const answer = await person.post(person.path(BASE), { url });
          expect(answer).toEqual(invalid(`"${url}" leads to an address that is not public.`));
        }
        expect(await person.post(person.path(BASE), { url: 'file:mine/hello' })).toEqual(
          invalid('Must be a GitHub/GitLab repository or a npm package URL!'),
        );
        expect(world.hosts.asked).toEqual([]);
      } finally {
        await strict.stop();
      }
    });

    it('when hosts are slow, and keep only who asked them waiting', async () => {
      const limits = Object.assign(new FetchLimits(), { time: 3_000, atOnce: 2, atOnceOfOne: 1 });
      const small = await TestApi.start(world.hosts.env, [[FetchLimits, limits]]);
      try {
        const [greedy, other] = [await small.owner(), await small.owner()];
        let areOver = false;
        const slow = Array.from({ length: 3 }, () => {
          const name = world.newName();
          world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, () => undefined);
          return greedy.post(greedy.path(BASE), { url: world.addressOf(name) });
        });
        const all = Promise.all(slow).finally(() => {
          areOver = true;
        });
        const name = world.newName();
        world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, (_, response) =>
          response.writeHead(404).end(),
        );
        const answer = await other.post(other.path(BASE), { url: world.addressOf(name) });
        expect([answer.status, areOver]).toEqual([400, false]);
        for (const { status } of await all) expect(status).toBe(502);
      } finally {
        await small.stop();
      }
    });

    it('when the host is slow, within the limit', async () => {
      const limits = Object.assign(new FetchLimits(), { time: 300 });
      const hasty = await TestApi.start(world.hosts.env, [[FetchLimits, limits]]);
      try {
        const person = await hasty.owner();
        const slow: Handler[] = [
          () => undefined,
          (_, response) => response.writeHead(200).write('x'),
          (_, response) => {
            const more = () => response.write('x', (error) => error || setImmediate(more));
            response.writeHead(200);
            more();
          },
        ];
        for (const handler of slow) {
          const name = world.newName();
          world.hosts.on(`/github/repos/hedgerow/${name}/commits/HEAD`, handler);
          const answer = await person.post(person.path(BASE), { url: world.addressOf(name) });
          expect(answer).toEqual(unreachable(world.addressOf(name), 'it took longer than 0.3 seconds'));
        }
        expect((await person.get(person.path(BASE))).body.count).toBe(0);
      } finally {
        await hasty.stop();
      }
    });
  });
});
