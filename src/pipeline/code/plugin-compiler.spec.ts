import { CurrentRequest } from '../../shared/request/current-request';
import { ModuleParser, ParserTime } from './module-parser';
import { PluginCompiler } from './plugin-compiler';
import { Transpiler } from './transpiler';

const current = new CurrentRequest();
const parser = new ModuleParser(current);
const compiler = new PluginCompiler(new Transpiler(current), parser);
const compile = (files: Record<string, string>) => compiler.compile(new Map(Object.entries(files)));
const capabilitiesOf = async (files: Record<string, string>) => (await compile(files)).capabilities;

const all = {
  methods: ['setupPlugin', 'processEvent', 'onEvent'],
  scheduled_tasks: ['runEveryMinute'],
  jobs: ['greet', 'leave'],
};
const NONE = { methods: [], scheduled_tasks: [], jobs: [] };

const namesTo = (count: number) => Array.from({ length: count }, (_, n) => `a${n.toString(36)}`).join();

/** As esbuild collects them, in `all`. */
const namesOf = (count: number) =>
  `__export(all, { ${Array.from({ length: count }, (_, n) => `name${n}: () => 1`).join()} });`;

describe('PluginCompiler', () => {
  describe('finds what code can do, whatever way it exports', () => {
    const written: [string, Record<string, string>][] = [
      [
        'declarations in TypeScript',
        {
          'index.ts': `
            import type { Plugin } from '@posthog/plugin-scaffold'
            interface Meta { config: { key: string } }
            export async function setupPlugin({ config }: Meta): Promise<void> {}
            export const processEvent: Plugin['processEvent'] = (event) => event, onEvent = async () => {}
            export function runEveryMinute() {}
            export const jobs = { greet: async () => {}, 'leave'() {} } satisfies object
            export function helper() {}
            export const notAMethod = 5`,
        },
      ],
      [
        'names',
        {
          'index.js': `
            function one() {} ; const two = () => {}, minute = two
            const list = { greet() {}, leave: one, gone: undefined }
            class Setup {}
            export { Setup as setupPlugin, one as processEvent, two as 'onEvent', minute as runEveryMinute, list as jobs }
            const never = undefined
            export { never as teardownPlugin }`,
        },
      ],
      [
        'other files',
        {
          'plugin.json': '{"main": "./src/main.ts"}',
          'src/main.ts': `
            export * from './events'
            export { every as runEveryMinute } from './schedule/index.js'
            import setup, { things as jobs } from './parts'
            import * as parts from './parts'
            export { jobs }
            export const setupPlugin = parts.start`,
          'src/events.tsx':
            'export const processEvent = () => <b />; export default 1; export { onEvent } from "./circle"',
          'src/circle.js': 'export * from "./events"; export function onEvent() {}',
          'src/schedule/index.ts': 'export function every() {}',
          'src/parts.mjs':
            'export default {}; export const things = { greet() {}, leave() {} }, start = () => {}',
          'index.ts': 'export function composeWebhook() {}',
        },
      ],
      [
        'module.exports',
        {
          'index.js': `
            const { jobs } = require('./jobs')
            const others = require('./others')
            module.exports = { setupPlugin() {}, 'processEvent': (e) => e, ...others, get onEvent() { return others.x }, jobs }`,
          'jobs.js': 'exports.jobs = Object.freeze({ greet() {}, leave() {} })',
          'others.js': 'module.exports.runEveryMinute = () => {}',
        },
      ],
      [
        'exports of the TypeScript compiler',
        {
          'plugin.json': '{"main": "dist"}',
          'dist/index.js': `
            "use strict";
            Object.defineProperty(exports, "__esModule", { value: true });
            exports.teardownPlugin = exports.jobs = exports.onEvent = exports.setupPlugin = void 0;
            const tslib_1 = require("tslib");
            tslib_1.__exportStar(require("./schedule"), exports);
            const parts_1 = __importStar(require("./parts"));
            async function setupPlugin() {}
            exports.setupPlugin = setupPlugin;
            const onEvent = async () => {};
            exports.onEvent = onEvent;
            Object.defineProperty(exports, "jobs", { enumerable: true, get: function () { return parts_1.jobs; } });
            var events_1 = require("./events");
            Object.defineProperty(exports, "processEvent", { enumerable: true, get: () => events_1.processEvent });`,
          'dist/schedule.js': 'exports.runEveryMinute = function () {}',
          'dist/parts.js': 'exports.jobs = void 0; exports.jobs = { greet() {}, leave() {} }',
        },
      ],
      [
        'bundles of esbuild',
        {
          'index.js': `
            var src_exports = {};
            __export(src_exports, { jobs: () => jobs, onEvent: () => onEvent, processEvent: () => processEvent,
              runEveryMinute: () => runEveryMinute, setupPlugin: () => setupPlugin });
            module.exports = __toCommonJS(src_exports);
            async function setupPlugin() {} function onEvent() {} function processEvent() {} var runEveryMinute = () => {};
            var jobs = { greet: () => {}, leave: () => {} };`,
        },
      ],
      [
        'parts that are never executed',
        {
          'index.js': `
            if (typeof module !== 'undefined') { exports = module.exports = { setupPlugin() {} } }
            function processEvent() {} function onEvent() {} function runEveryMinute() {}
            const jobs = { greet() {}, leave() {} };
            0 && (module.exports = { processEvent, onEvent, runEveryMinute, jobs }, 1);`,
        },
      ],
    ];

    it.each(written)('%s', async (_way, files) => {
      expect(await capabilitiesOf(files)).toEqual(all);
    });
  });

  it('takes the main file of plugin.json, else index', async () => {
    const files = { 'index.js': 'export const onEvent = 1', 'lib/a.js': 'export const processEvent = 1' };
    expect(await capabilitiesOf(files)).toMatchObject({ methods: ['onEvent'] });
    for (const main of ['lib/a.js', './lib/a', 'lib/a.ts']) {
      expect(await capabilitiesOf({ ...files, 'plugin.json': JSON.stringify({ main }) })).toMatchObject({
        methods: ['processEvent'],
      });
    }
    for (const manifest of ['{', 'null', '{"main":5}', '{"main":"none.js"}', '{"main":"../lib/a.js"}']) {
      expect(await capabilitiesOf({ ...files, 'plugin.json': manifest })).toMatchObject({
        methods: ['onEvent'],
      });
    }
  });

  it('tells code that can do nothing from no code', async () => {
    expect(await capabilitiesOf({ 'index.ts': 'export default { onEvent() {} }' })).toEqual(NONE);
    expect(
      await capabilitiesOf({ 'site.ts': 'export function onEvent() {}', 'plugin.json': '{}' }),
    ).toBeNull();
  });

  it.each([
    ['index.ts', 'export function onEvent( {', /^Line 1, column \d+: /],
    ['index.js', 'export function onEvent( {', /\(1:\d+\)$/],
    ['index.js', `x=${'!'.repeat(900_000)}1`, /stack space/],
    ['index.ts', `x=${'!'.repeat(150_000)}1`, 'The file has more than 100000 characters.'],
    ['index.js', `//${'x'.repeat(1_000_000)}`, 'The file has more than 1000000 characters.'],
    ['index.js', `exports.x=a${'.b'.repeat(200_000)}`, 'The code is nested too deeply.'],
    ['index.js', `${namesOf(1_000)}${'module.exports=all;'.repeat(1_000)}`, 'Too many names are exported.'],
  ])('keeps what is wrong with %s: %.30s', async (filename, code, error) => {
    const { capabilities, outcomes } = await compile({ [filename]: code });
    expect(capabilities).toEqual({});
    expect([...outcomes]).toEqual([
      [
        filename,
        { transpiled: null, error: typeof error === 'string' ? error : expect.stringMatching(error) },
      ],
    ]);
  });

  it('keeps it of the file that is wrong', async () => {
    const { capabilities, outcomes } = await compile({
      'index.js': 'export * from "./other"',
      'other.ts': 'const',
    });
    expect(capabilities).toEqual({});
    expect([...outcomes.keys()]).toEqual(['other.ts']);
  });

  it('comes to an end with files that pass one another on in circles', async () => {
    const modules = Array.from({ length: 8 }, (_, n) => `m${n}`);
    const everything = modules.map((name) => `export * from './${name}';`).join('');
    const own: Record<string, string> = {
      m0: 'export default 1; export const setupPlugin = undefined',
      m3: 'export function onEvent() {}',
      m7: 'import { list } from "./m0"; export { list as jobs }',
      m5: 'export const list = { greet() {} }',
    };
    const files = modules.map((name) => [`${name}.js`, `${everything}${own[name] ?? ''}`]);
    expect(await capabilitiesOf({ 'index.js': everything, ...Object.fromEntries(files) })).toEqual({
      methods: ['onEvent'],
      scheduled_tasks: [],
      jobs: ['greet'],
    });
  });

  it('of one name, takes what the file itself exports, else what is passed on last', async () => {
    const files = {
      'a.js': 'export const jobs = { a() {} }',
      'b.js': 'export * from "./c"',
      'c.js': 'export const jobs = { c() {} }',
    };
    const passing = 'export * from "./b"; export * from "./a"; export * from "./b";';
    expect(await capabilitiesOf({ ...files, 'index.js': passing })).toMatchObject({ jobs: ['c'] });
    const owning = `${passing} export const jobs = { own() {} }`;
    expect(await capabilitiesOf({ ...files, 'index.js': owning })).toMatchObject({ jobs: ['own'] });
  });

  it('looks up thousands of names of another file', async () => {
    const names = Array.from({ length: 4_000 }, (_, n) => `name${n}`);
    const files = {
      'index.js': `export { ${names.join()}, onEvent, processEvent } from './m.js'`,
      'm.js': `export const ${names.map((name) => `${name} = 1`).join()}, onEvent = 1;
        const none = null; export { none as processEvent }`,
    };
    const { capabilities, outcomes } = await compile(files);
    expect(capabilities).toEqual({ ...NONE, methods: ['onEvent'] });
    expect(outcomes.size).toBe(0);
  });

  it('executes nothing', async () => {
    const files = { 'index.js': 'globalThis.executed = true; export const onEvent = (() => { throw 1 })()' };
    expect(await capabilitiesOf(files)).toMatchObject({ methods: ['onEvent'] });
    expect(globalThis).not.toHaveProperty('executed');
  });

  it('reads a script that is no module, and names that mean something to JavaScript', async () => {
    const script = 'with (x) {} exports.onEvent = 1; exports.jobs = { constructor() {}, toString() {} }';
    expect(await capabilitiesOf({ 'index.js': script })).toEqual({
      ...NONE,
      methods: ['onEvent'],
      jobs: ['constructor', 'toString'],
    });
  });

  it('transpiles what runs in the browser (PLUG-25)', async () => {
    const { outcomes } = await compile({
      'site.ts': 'export function inject({ config }: { config: object }): void {}',
      'frontend.tsx': 'export const scene = { component: () => <div>Hi</div> }',
      'other.ts': 'let x: number',
    });
    expect([...outcomes.keys()].sort()).toEqual(['frontend.tsx', 'site.ts']);
    expect(outcomes.get('site.ts')).toEqual({
      transpiled: expect.stringContaining('inject({ config })'),
      error: null,
    });
    expect(outcomes.get('frontend.tsx')?.transpiled).toContain('React.createElement("div", null, "Hi")');
  });

  it('keeps the error of what does not transpile, and goes on', async () => {
    const { outcomes, capabilities } = await compile({
      'site.ts': 'export const x = <not typescript',
      'index.js': 'export function onEvent() {}',
    });
    expect(outcomes.get('site.ts')).toEqual({
      transpiled: null,
      error: expect.stringMatching(/^Line 1, column \d+: /),
    });
    expect(capabilities).toMatchObject({ methods: ['onEvent'] });
  });

  it.each([
    ['names of one scope', `let ${namesTo(170_000)}`],
    ['names of inner scopes', `${'{'.repeat(2_000)}var ${namesTo(150_000)}${'}'.repeat(2_000)}`],
    ['groups of an expression', `/${'(?<a>)|'.repeat(120_000)}/`],
  ])('keeps nobody waiting for what takes the parser minutes: %s', async (_, code) => {
    let longest = 0;
    let last = performance.now();
    const turning = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 10);
    const parsed = await parser.parse(code, { left: 700 });
    clearInterval(turning);
    expect(parsed).toEqual({ error: 'The code takes too long to read.' });
    expect(longest).toBeLessThan(500);
    expect(await capabilitiesOf({ 'index.js': 'export function onEvent() {}' })).toMatchObject({
      methods: ['onEvent'],
    });
  });

  it('gives all files of a plugin one time', async () => {
    const time = new ParserTime();
    expect(await parser.parse(`let ${namesTo(10_000)}`, time)).toHaveProperty('program');
    expect(time.left).toBeLessThan(9_990);
  });

  it('reads a bundle of a megabyte', async () => {
    const bundled = `var own = (a, b) => { ${'const inner = { a: [1, 2, 3], b: (x) => x + 1 }; f(inner);'.slice(6)} };\n`;
    const code = `${bundled
      .repeat(12_000)
      .slice(0, 990_000)
      .replace(/[^\n]*$/, '')}exports.onEvent = () => 1`;
    expect(code.length).toBeGreaterThan(900_000);
    expect(await capabilitiesOf({ 'index.js': code })).toMatchObject({ methods: ['onEvent'] });
  });

  it('gives up on a text of which esbuild makes no end, and transpiles the next', async () => {
    const impatient = new (class extends Transpiler {
      protected override readonly patience = 300;
    })(current);
    const endless = `x=${'a=>'.repeat(6_000)}1`;
    const files = { 'frontend.tsx': endless, 'site.ts': 'let x: number' };
    const { outcomes } = await new PluginCompiler(impatient, parser).compile(new Map(Object.entries(files)));
    expect(outcomes.get('frontend.tsx')?.error).toMatch(/^The file could not be transpiled/);
    expect(outcomes.get('site.ts')?.transpiled).toBe('let x;\n');
  });
});
