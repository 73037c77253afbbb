import { ConfigSchema } from './config-schema';
import { SECRET_MASK } from './config-values';
import { PluginConfig, type Vault } from './plugin-config';
import {
  ConfigFieldMissing,
  ConfigFieldUnknown,
  DeletedConfigIsDisabled,
  NothingToKeep,
} from './plugin-config-errors';

const AT = new Date('2025-03-01T09:30:00Z');
const LATER = new Date('2025-03-02T09:30:00Z');
const SCHEMA = ConfigSchema.of([
  { key: 'host', type: 'string', required: true },
  { key: 'key', type: 'string', secret: true },
]);
const OPEN = ConfigSchema.of([
  { key: 'host', type: 'string' },
  { key: 'key', type: 'string' },
]);

/** Turns the text round, and opens what was sealed for the same context alone. */
const vault: Vault = {
  seal: (text, context) => Buffer.from([...`${context}|${text}`].reverse().join('')),
  open: (sealed, context) => {
    const [of, ...text] = [...sealed.toString()].reverse().join('').split('|');
    if (of !== context) throw new Error('sealed elsewhere');
    return text.join('|');
  },
};

describe('PluginConfig', () => {
  let config: PluginConfig;
  const change = (details: object, schema = SCHEMA) => config.change(schema, details, vault, LATER);
  const held = () => JSON.stringify(config);
  beforeEach(() => {
    config = new PluginConfig(7, 1, 42, 3, AT);
  });

  it('starts disabled and empty', () => {
    expect(config.shown(SCHEMA)).toEqual({
      id: 7,
      enabled: false,
      order: 3,
      name: null,
      description: null,
      deleted: false,
      config__host: null,
      config__key: null,
    });
    expect(config.title).toBeNull();
  });

  it('holds a secret as a mask, and tells that it changed', () => {
    expect(change({ config: { host: 'h', key: 'hunter2' } })).toEqual([]);
    expect(config.shown(SCHEMA)).toMatchObject({ config__host: 'h', config__key: SECRET_MASK });
    expect(held()).not.toContain('hunter2');
    expect(change({ config: { key: SECRET_MASK } })).toEqual([]);
    expect(change({ config: {} })).toEqual([]);
    expect(change({ config: { key: 'hunter3' } })).toEqual(['key']);
    expect(change({ name: 'x' })).toEqual([]);
  });

  it('seals what became a secret, and opens it no more', () => {
    change({ config: { host: 'h', key: 'hunter2' } }, OPEN);
    expect(held()).toContain('hunter2');
    expect(config.shown(SCHEMA)).toMatchObject({ config__key: SECRET_MASK });
    config.protect(SCHEMA, vault);
    expect(held()).not.toContain('hunter2');
    change({ config: { host: 'h', key: SECRET_MASK } }, OPEN);
    expect(config.shown(OPEN)).toMatchObject({ config__key: SECRET_MASK });
    expect(held()).not.toContain('hunter2');
  });

  it('needs its secrets for nothing but its settings', () => {
    change({ config: { host: 'h', key: 'hunter2' } });
    const lost: Vault = {
      ...vault,
      open: () => {
        throw new Error('the key is lost');
      },
    };
    config.change(SCHEMA, { enabled: true, name: 'x' }, lost, LATER);
    config.protect(SCHEMA, lost);
    expect(() => config.change(SCHEMA, { config: {} }, lost, LATER)).toThrow('the key is lost');
  });

  it('is complete when it is enabled', () => {
    expect(() => change({ enabled: true })).toThrow(ConfigFieldMissing);
    change({ enabled: true, config: { host: 'h' } });
    expect(() => change({ config: {} })).toThrow(ConfigFieldMissing);
    // What the plugin requires since then is asked for with the next config.
    const stricter = ConfigSchema.of([{ key: 'host' }, { key: 'port', required: true }]);
    expect(() => change({ name: 'x' }, stricter)).not.toThrow();
    expect(() => change({ config: { host: 'h' } }, stricter)).toThrow(ConfigFieldMissing);
  });

  it('refuses settings that its plugin does not ask for, and masks of nothing', () => {
    expect(() => change({ config: { port: 1 } })).toThrow(ConfigFieldUnknown);
    expect(() => change({ config: JSON.parse('{"__proto__": 1}') })).toThrow(ConfigFieldUnknown);
    expect(() => change({ config: { key: SECRET_MASK } })).toThrow(NothingToKeep);
    expect(() => change({ config: { host: SECRET_MASK } })).toThrow(NothingToKeep);
  });

  it('is disabled while it is deleted', () => {
    change({ enabled: true, config: { host: 'h' } });
    config.delete(LATER);
    expect(config.shown(SCHEMA)).toMatchObject({ enabled: false, deleted: true });
    expect(() => change({ enabled: true })).toThrow(DeletedConfigIsDisabled);
    change({ enabled: true, deleted: true });
    expect(config.shown(SCHEMA)).toMatchObject({ enabled: false, deleted: true });
    change({ enabled: true, deleted: false });
    expect(config.shown(SCHEMA)).toMatchObject({ enabled: true, deleted: false });
  });
});
