import { PluginAddress } from './plugin-address';
import { NoPluginAddress, NoPluginInFolder } from './plugin-errors';

describe('PluginAddress', () => {
  it.each([
    'https://github.com/PostHog/helloworldplugin',
    'https://www.github.com/PostHog/hello.world-plugin',
    'https://github.com/PostHog/helloworldplugin/tree/main/src',
    'https://github.com/PostHog/helloworldplugin/commit/d5aa1d2b8a534f37cd93be48b214f490ef9ee904',
    'https://github.com/PostHog/helloworldplugin/releases/tag/v0.1',
    'https://gitlab.com/group/sub-group/project',
    'https://gitlab.com/group/project/-/tree/main',
    'https://www.npmjs.com/package/@scope/some-plugin',
    'https://www.npmjs.com/package/some-plugin/v/1.2.3-beta.1',
  ])('takes %s', (url) => {
    expect(PluginAddress.parse(url)).toMatchObject({ url, privateToken: null });
  });

  it('parts the private token from the address', () => {
    expect(PluginAddress.parse('https://gitlab.com/a/b?private_token=s3cret%2B')).toMatchObject({
      url: 'https://gitlab.com/a/b',
      privateToken: 's3cret+',
    });
  });

  it('writes the same address in one way', () => {
    const [first, ...others] = [
      'https://github.com/a/b',
      'https://GitHub.com/a/b/',
      'https://github.com:443/a/b?private_token=',
    ].map((text) => PluginAddress.parse(text));
    expect(others).toEqual([first, first]);
  });

  it.each([
    'github.com/a/b',
    'http://github.com/a/b',
    'ftp://github.com/a/b',
    'file:/plugins/mine',
    'https://github.com',
    'https://github.com/a',
    'https://github.com//a/b',
    'https://github.com/a/b/issues/1',
    'https://github.com/a/%2e%2e',
    'https://gitlab.com/a',
    'https://gitlab.com/a/b/-/issues/1',
    'https://www.npmjs.com/some-plugin',
    'https://www.npmjs.com/package/@scope',
    'https://github.com.evil.example/a/b',
    'https://evil.example/github.com/a/b',
    'https://github.com@evil.example/a/b',
    'https://user:secret@github.com/a/b',
    'https://user@github.com/a/b',
    'https://github.com:8443/a/b',
    'https://github.com\\@evil.example/a/b',
    'https://github.com/a/\tb',
    ' https://github.com/a/b',
    'https://github.com/a/b#readme',
    'https://github.com/a/b?token=x',
    'https://github.com/a/b?private_token=x&ref=y',
    'https://github.com/a/b?private_token=x&private_token=y',
    'https://github.com/a/b?private_token=x%0Ay',
    'https://constructor/a/b',
    '',
  ])('refuses %j', (text) => {
    expect(() => PluginAddress.parse(text)).toThrow(NoPluginAddress);
  });

  const commit = 'd5aa1d2b8a534f37cd93be48b214f490ef9ee904';
  it.each([
    ['https://github.com/o/r', { kind: 'github', path: 'o/r', at: null }],
    ['https://github.com/o/r.git', { kind: 'github', path: 'o/r', at: null }],
    [
      'https://github.com/o/r/tree/main/a/b/',
      { kind: 'github', path: 'o/r', at: { text: 'main/a/b', mayNameFolder: true } },
    ],
    [
      `https://github.com/o/r/commit/${commit}`,
      { kind: 'github', path: 'o/r', at: { text: commit, mayNameFolder: false } },
    ],
    [
      'https://github.com/o/r/releases/tag/v0.1',
      { kind: 'github', path: 'o/r', at: { text: 'v0.1', mayNameFolder: false } },
    ],
    ['https://gitlab.com/g/s/p', { kind: 'gitlab', path: 'g/s/p', at: null }],
    [
      'https://gitlab.com/g/p/-/tree/main/a',
      { kind: 'gitlab', path: 'g/p', at: { text: 'main/a', mayNameFolder: true } },
    ],
    [
      'https://gitlab.com/g/p/-/tags/v1',
      { kind: 'gitlab', path: 'g/p', at: { text: 'v1', mayNameFolder: false } },
    ],
    ['https://www.npmjs.com/package/@s/n', { kind: 'npm', name: '@s/n', version: null }],
    ['https://npmjs.com/package/n/v/1.2.3-beta.1', { kind: 'npm', name: 'n', version: '1.2.3-beta.1' }],
    ['https://example.com:8443/a/b.tgz', { kind: 'tarball' }],
    ['https://github.com/o/r/archive/refs/tags/v1.tar.gz', { kind: 'tarball' }],
  ])('knows what %s names', (url, place) => {
    expect(PluginAddress.parse(url).place).toEqual(place);
  });

  it.each([
    'http://example.com/a.tgz',
    'https://example.com/a.tgz?x=1',
    'https://example.com/a.zip',
    'https://user@example.com/a.tgz',
    'https://www.npmjs.com/package/a/v/.1',
    'https://www.npmjs.com/package/a/v/a/b',
  ])('refuses %s', (url) => {
    expect(() => PluginAddress.parse(url)).toThrow(NoPluginAddress);
  });

  describe('on a server of its own', () => {
    const hosts = {
      github: ['ghe.example.com'],
      gitlab: ['code.example.com:8443'],
      pluginDir: '/srv/plugins',
    };

    it('takes the hosts that are known there', () => {
      expect(PluginAddress.parse('https://ghe.example.com/o/r', hosts).place.kind).toBe('github');
      expect(PluginAddress.parse('https://code.example.com:8443/g/p', hosts).place.kind).toBe('gitlab');
      expect(() => PluginAddress.parse('https://code.example.com/g/p', hosts)).toThrow(NoPluginAddress);
    });

    it.each(['a/b', 'a/b/', '/srv/plugins/a/b', '///srv/plugins/a/b/'])(
      'knows the folder file:%s',
      (path) => {
        expect(PluginAddress.parse(`file:${path}`, hosts)).toMatchObject({
          url: 'file:a/b',
          place: { kind: 'folder', path: 'a/b' },
        });
      },
    );

    it.each([
      '',
      '/',
      '.',
      '..',
      'a/../b',
      '../a',
      '/etc',
      '/srv/plugins',
      '/srv/plugins-too/a',
      '/srv/plugins/../a',
      '//host/a',
      'a//b',
      'a?b',
      'a#b',
    ])('lets file:%s lead nowhere', (path) => {
      expect(() => PluginAddress.parse(`file:${path}`, hosts)).toThrow(NoPluginInFolder);
    });
  });
});
