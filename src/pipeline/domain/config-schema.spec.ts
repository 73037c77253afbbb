import { ConfigSchema } from './config-schema';
import { SECRET_MASK } from './config-values';

const keysOf = (schema: unknown) => ConfigSchema.of(schema).fields.map(({ key }) => key);

describe('ConfigSchema', () => {
  it('reads a list of settings and an object of them, and leaves out what names none', () => {
    expect(keysOf([{ markdown: 'Hello' }, { key: 'a' }, { key: 7 }, null, 'x', [], { key: 'b' }])).toEqual([
      'a',
      'b',
    ]);
    expect(keysOf({ a: { type: 'string' }, b: 'x', c: null, d: [], e: {} })).toEqual(['a', 'e']);
    for (const none of [null, undefined, {}, []]) expect(keysOf(none)).toEqual([]);
    expect(keysOf(JSON.parse('{"__proto__": {}, "constructor": {}}'))).toEqual(['__proto__', 'constructor']);
  });

  it('takes the first of two settings of one key, as a secret if either is', () => {
    const { fields } = ConfigSchema.of([
      { key: 'a', type: 'choice', choices: ['x'] },
      { key: 'a', type: 'string', secret: true },
    ]);
    expect(fields).toEqual([
      { key: 'a', type: 'choice', required: false, secret: true, choices: ['x'], hasDefault: false },
    ]);
  });

  it('finds what is required and neither given nor a default', () => {
    const schema = ConfigSchema.of([
      { key: 'a', required: true, default: 'x' },
      { key: 'b', required: false },
      { key: 'c', required: true, default: '' },
    ]);
    for (const config of [{}, { c: '' }, { c: null }]) expect(schema.missingIn(config)?.key).toBe('c');
    for (const c of ['x', 0, false, SECRET_MASK]) expect(schema.missingIn({ c })).toBeNull();
    expect(ConfigSchema.of([{ key: 'toString', required: true }]).missingIn({})?.key).toBe('toString');
  });

  it('tells which secrets are new', () => {
    const before = ConfigSchema.of([{ key: 'a', secret: true }, { key: 'b' }]);
    const after = ConfigSchema.of([
      { key: 'a', secret: true },
      { key: 'b', secret: true },
      { key: 'c', secret: 1 },
      { key: 'd' },
    ]);
    expect(after.newSecrets(before)).toEqual(['b', 'c']);
  });

  it.each<[string, unknown, boolean]>([
    ['string', 'x', true],
    ['string', '', true],
    ['string', 5, false],
    ['string', 'x'.repeat(100_001), false],
    ['choice', 'eu', true],
    ['choice', '', true],
    ['choice', 'EU', false],
    ['choice', ['eu'], false],
    ['json', '{"a": [1]}', true],
    ['json', { a: [1] }, true],
    ['json', '{a}', false],
    ['attachment', { name: 'a', contents: '' }, true],
    ['attachment', { name: 'a', type: 'text/plain', contents: 'YQ==' }, true],
    ['attachment', { name: '', contents: 'YQ==' }, false],
    ['attachment', { name: 'a', contents: 'YQ=' }, false],
    ['attachment', { name: 'a', type: 5, contents: 'YQ==' }, false],
    ['attachment', 'a', false],
    ['number', 5, true],
    ['constructor', { any: 'thing' }, true],
  ])('of type %s takes %.60j: %s', (type, value, taken) => {
    const schema = ConfigSchema.of([{ key: 'a', type, choices: ['eu', 'us'] }]);
    const [field] = schema.fields;
    const read = () => field && schema.read(field, value);
    if (taken) expect(read).not.toThrow();
    else expect(read).toThrow();
  });
});
