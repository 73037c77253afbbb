import { gzipSync } from 'node:zlib';
import { packed, type TarEntry, tar, tgz } from '../../../test/support/tarball';
import { FetchLimits } from './fetch-limits';
import { unpack } from './unpack';

const limits = new FetchLimits();
const never = new AbortController().signal;
const filesIn = async (archive: Buffer, folder = '', within: FetchLimits = limits) =>
  Object.fromEntries(await unpack(archive, folder, within, never));

const MANIFEST = { path: 'package/plugin.json', content: '{}' };
const UNREADABLE = 'The archive of the plugin cannot be read: it must be a tar archive compressed with gzip.';

describe('unpack', () => {
  it('keeps code and JSON, and leaves everything else behind', async () => {
    const archive = packed({
      'plugin.json': '{"name":"é 😀"}',
      'src/a.ts': 'a',
      'b.JSX': 'b',
      'logo.png': Buffer.from([0x89, 0x50, 0xff, 0x00]),
      'README.md': '#',
      'package-lock.json': '{}',
      'sub/package-lock.json': '{}',
      'node_modules/x/index.js': 'x',
      'sub/node_modules/x/index.js': 'x',
      '.github/workflow.json': '{}',
      '.eslintrc.js': '',
      'tsconfig.json': '',
    });
    expect(await filesIn(archive)).toEqual({
      'plugin.json': '{"name":"é 😀"}',
      'src/a.ts': 'a',
      'b.JSX': 'b',
      'tsconfig.json': '',
    });
  });

  it.each([
    ['a folder at the top', 'any-name/'],
    ['none', ''],
    ['the folder that it was made in', './'],
    ['both', './package/'],
  ])('takes an archive with %s', async (_what, top) => {
    const archive = tgz([
      ...(top === '' ? [] : [{ path: top, type: '5' }]),
      { path: `${top}src/`, type: '5' },
      { path: `${top}src/a.ts`, content: 'a' },
      { path: `${top}plugin.json`, content: '{}' },
    ]);
    expect(await filesIn(archive)).toEqual({ 'src/a.ts': 'a', 'plugin.json': '{}' });
  });

  it('keeps one folder of a repository, and minds nothing of the rest', async () => {
    const files = { 'plugin.json': 'root', 'plugins/one/plugin.json': '1', 'plugins/one/a.ts': 'a' };
    const archive = tgz([
      ...Object.entries(files).map(([path, content]) => ({ path: `repo-1234/${path}`, content })),
      { path: 'repo-1234/plugins/one-more/plugin.json', content: 'x' },
      { path: 'repo-1234/docs', type: '2', link: '../..' },
    ]);
    expect(await filesIn(archive, 'plugins/one')).toEqual({ 'plugin.json': '1', 'a.ts': 'a' });
    expect(await filesIn(archive, 'plugins/two')).toEqual({});
  });

  const bad: [string, TarEntry[], RegExp][] = [
    [
      'a path that leads out',
      [{ path: 'package/../../etc/x.json' }],
      /leads out of it: "package\/\.\.\/\.\.\/etc/,
    ],
    ['an absolute path', [{ path: '/etc/x.json' }], /leads out of it/],
    ['a path of Windows', [{ path: 'C:/x.json' }], /leads out of it/],
    ['backslashes', [{ path: 'package\\..\\x.json' }], /leads out of it/],
    [
      'a symbolic link',
      [MANIFEST, { path: 'package/a.ts', type: '2', link: '/etc/passwd' }],
      /something else than/,
    ],
    [
      'a hard link',
      [MANIFEST, { path: 'package/a.ts', type: '1', link: 'package/plugin.json' }],
      /something else than/,
    ],
    ['a device', [MANIFEST, { path: 'package/a.ts', type: '3' }], /something else than/],
    ['a pipe', [MANIFEST, { path: 'package/a.ts', type: '6' }], /something else than/],
    [
      'code that is no text',
      [{ path: 'package/a.ts', content: Buffer.from([0xff, 0xfe]) }],
      /a\.ts of the plugin is no text/,
    ],
    ['NUL', [{ path: 'package/a.ts', content: 'a\0b' }], /a\.ts of the plugin is no text/],
  ];

  it.each(bad)('refuses %s', async (_what, entries, detail) => {
    await expect(filesIn(tgz(entries))).rejects.toThrow(detail);
  });

  it('refuses more than 5000 files and folders', async () => {
    const many = (count: number) =>
      tgz(Array.from({ length: count }, (_, index) => ({ path: `p/${index}.txt` })));
    expect(await filesIn(many(5_000))).toEqual({});
    await expect(filesIn(many(5_001))).rejects.toThrow('The plugin has more than 5000 files and folders.');
  });

  it.each([
    ['in a file', () => tgz([{ path: 'p/a.bin', content: Buffer.alloc(limits.unpacked) }])],
    ['behind its end', () => gzipSync(Buffer.concat([tar([MANIFEST]), Buffer.alloc(limits.unpacked)]))],
  ])('refuses a bomb: more than 60 MiB %s', async (_where, archive) => {
    const bomb = archive();
    expect(bomb.length).toBeLessThan(100_000);
    await expect(filesIn(bomb)).rejects.toThrow(`The plugin has more than ${limits.unpacked} bytes`);
  });

  it('refuses more source than a plugin may have', async () => {
    const half = 'x'.repeat(2_500_001);
    await expect(filesIn(packed({ 'a.ts': half, 'b.ts': half }))).rejects.toThrow(
      'no more than 5000000 characters',
    );
  });

  it('refuses paths that nobody could edit', async () => {
    const path = `${'folder/'.repeat(30)}a.ts`;
    // A record says its own length first: three digits, a blank, and the line feed.
    const record = `path=package/${path}\n`;
    const archive = tgz([
      { path: 'PaxHeader', type: 'x', content: `${record.length + 4} ${record}` },
      { path: 'package/short.ts', content: 'a' },
      MANIFEST,
    ]);
    await expect(filesIn(archive)).rejects.toThrow('longer than 200 characters');
  });

  it.each([
    ['no gzip', () => tar([MANIFEST])],
    ['no tar', () => gzipSync('<html>Not found</html>'.repeat(50))],
    ['nothing', () => Buffer.alloc(0)],
    ['compressed twice', () => gzipSync(tgz([MANIFEST]))],
    ['cut off', () => packed({ 'plugin.json': '{}', 'a.ts': 'x'.repeat(9_000) }).subarray(0, 120)],
    [
      'cut off inside',
      () => gzipSync(tar([{ path: 'a.ts', content: 'x'.repeat(9_000) }]).subarray(0, 4_000)),
    ],
    ['of a wrong checksum', () => gzipSync(tar([MANIFEST]).fill('x', 200, 210))],
  ])('refuses what is %s', async (_what, archive) => {
    await expect(filesIn(archive())).rejects.toThrow(UNREADABLE);
  });

  it('ends when it is told to', async () => {
    const work = unpack(packed({ 'plugin.json': '{}' }), '', limits, AbortSignal.abort());
    await expect(work).rejects.toThrow('aborted');
  });
});
