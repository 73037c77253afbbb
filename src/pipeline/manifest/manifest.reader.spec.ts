import { Invalid } from '../../shared/domain/domain-error';
import { NoPluginManifest } from '../domain/plugin-errors';
import { POSTHOG_VERSION, readEditedManifest, readManifest } from './manifest.reader';

const read = (manifest: unknown) =>
  readManifest(
    new Map([['plugin.json', typeof manifest === 'string' ? manifest : JSON.stringify(manifest)]]),
  );

describe('readManifest', () => {
  it('takes what a plugin says about itself (PLUG-09)', () => {
    const config = [{ markdown: 'Greetings' }, { key: 'greeting', type: 'string' }];
    const said = {
      name: 'Hello world',
      url: 'https://example.com',
      description: 'Greets',
      icon: 'https://example.com/icon.png',
      main: 'index.ts',
      config,
      publicJobs: { greet: { payload: {} } },
      posthogVersion: '>= 1.25.0',
      anything: ['else'],
    };
    expect(read(said)).toEqual({
      name: 'Hello world',
      description: 'Greets',
      icon: 'https://example.com/icon.png',
      configSchema: config,
      publicJobs: { greet: { payload: {} } },
    });
  });

  it('leaves open what it does not say, except what belongs to the code', () => {
    const open = { description: undefined, icon: undefined, configSchema: {}, publicJobs: {} };
    expect(read({ name: 'a' })).toEqual({ name: 'a', ...open });
    const nulls = { name: 'a', description: null, icon: null, config: null, publicJobs: null, main: null };
    expect(read(nulls)).toEqual({ name: 'a', ...open, description: null, icon: null });
  });

  it('needs a plugin.json (PLUG-12)', () => {
    expect(() => readManifest(new Map([['src/plugin.json', '{}']]))).toThrow(NoPluginManifest);
  });

  it.each([
    ['{', 'plugin.json: JSON parse error.'],
    ['', 'plugin.json: JSON parse error.'],
    ['[]', 'plugin.json: Expected a dictionary, but got list.'],
    ['null', 'plugin.json: Expected a dictionary, but got null.'],
    ['{}', 'plugin.json: name: This field is required.'],
    ['{"name":""}', 'plugin.json: name: This field may not be blank.'],
    ['{"name":5}', 'plugin.json: name: Not a valid string.'],
    ['{"name":"\\u0000"}', 'plugin.json: name: Null characters are not allowed.'],
    [
      `{"name":"${'x'.repeat(201)}"}`,
      'plugin.json: name: Ensure this field has no more than 200 characters.',
    ],
    ['{"name":"a","config":"x"}', /^plugin\.json: config: /],
    ['{"name":"a","config":["x"]}', /^plugin\.json: config__0: /],
    ['{"name":"a","publicJobs":[]}', /^plugin\.json: publicJobs: /],
    ['{"name":"a","icon":{}}', /^plugin\.json: icon: /],
    ['{"name":"a","stateless":"yes"}', /^plugin\.json: stateless: /],
    [`{"name":"a","config":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /^plugin\.json: config/],
    [JSON.stringify({ name: 'a', x: 'x'.repeat(262_144) }), /no more than 262144 characters/],
  ])('refuses a malformed one: %.40s', (text, detail) => {
    expect(() => read(text)).toThrow(Invalid);
    expect(() => read(text)).toThrow(detail);
  });

  it('refuses a config of a stateless plugin (PLUG-12)', () => {
    expect(() => read({ name: 'a', stateless: true, config: { key: {} } })).toThrow(
      'Stateless plugins cannot have a config!',
    );
    for (const config of [undefined, null, {}, []]) {
      expect(read({ name: 'a', stateless: true, config }).name).toBe('a');
    }
  });

  it.each(['1.43.0', '>=1.25.0', '>= 1.25.0,<2', '^1.43', '1.x', '*', '<1.0.0 || >1.40'])(
    'takes one for the PostHog versions %s',
    (posthogVersion) => {
      expect(read({ name: 'a', posthogVersion }).name).toBe('a');
    },
  );

  it.each(['>2', '1.42.9', '<1.43.0', '>=1.25.0,<1.40'])('refuses one for %s (PLUG-13)', (posthogVersion) => {
    expect(() => read({ name: 'a', posthogVersion })).toThrow(
      `Currently running PostHog version ${POSTHOG_VERSION} does not match this plugin's semantic version ` +
        `requirement "${posthogVersion}".`,
    );
  });

  it.each(['latest', 'v-one', '', ' '])('refuses the requirement %j (PLUG-13)', (posthogVersion) => {
    expect(() => read({ name: 'a', posthogVersion })).toThrow(
      `Invalid PostHog semantic version requirement "${posthogVersion}"!`,
    );
  });
});

describe('readEditedManifest', () => {
  it('takes name and config, and blames plugin.json (PLUG-24)', () => {
    expect(readEditedManifest('{"name":"a","config":{"k":{}},"icon":5}')).toEqual({
      name: 'a',
      configSchema: { k: {} },
    });
    expect(readEditedManifest('{}')).toEqual({ name: undefined, configSchema: undefined });
    for (const text of ['{', '[]', '{"name":5}']) {
      expect(() => readEditedManifest(text)).toThrow(expect.objectContaining({ attr: 'plugin.json' }));
    }
  });
});
