import { PluginAddress } from './plugin-address';
import { NoPluginAddress } from './plugin-errors';

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
    'https://constructor/a/b',
    '',
  ])('refuses %j', (text) => {
    expect(() => PluginAddress.parse(text)).toThrow(NoPluginAddress);
  });
});
