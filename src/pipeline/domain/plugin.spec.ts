import { PluginsAccess } from '../../shared/domain/level';
import { Plugin } from './plugin';
import { CannotManageGlobalPlugins, ManagedByAnotherOrganization, PluginIsGlobal } from './plugin-errors';
import type { PluginShelf } from './plugin-family';

const AT = new Date('2025-03-01T09:30:00Z');
const shelfOf = (organizationId: string, access: PluginsAccess = PluginsAccess.Install): PluginShelf => ({
  family: 'pipeline_destinations',
  organizationId,
  access,
});
const mine = shelfOf('mine');
const root = shelfOf('mine', PluginsAccess.Root);

describe('Plugin', () => {
  it('starts with empty settings and no names (PLUG-08)', () => {
    expect(Plugin.install(mine, {}, null, AT)).toMatchObject({
      pluginType: null,
      name: null,
      configSchema: {},
      capabilities: {},
      isGlobal: false,
      url: null,
    });
  });

  it('is custom when it comes from an address, local from a folder, unless it is of a repository (PLUG-09)', () => {
    const origin = { url: 'https://github.com/a/b', sealedPrivateToken: null, type: 'custom' as const };
    for (const pluginType of [undefined, null, 'source', 'local'] as const) {
      expect(Plugin.install(mine, { pluginType }, origin, AT)).toMatchObject({ pluginType: 'custom' });
    }
    const repository = Plugin.install(mine, { pluginType: 'repository' }, origin, AT);
    expect(repository).toMatchObject({ pluginType: 'repository' });
    const local = Plugin.install(mine, { pluginType: 'custom' }, { ...origin, type: 'local' }, AT);
    expect(local).toMatchObject({ pluginType: 'local' });
  });

  describe('that is fetched', () => {
    const later = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);
    const manifest = { name: 'New', configSchema: { key: {} }, publicJobs: {} };

    it('becomes what its plugin.json says, and keeps what that leaves open', () => {
      const plugin = Plugin.install(mine, { name: 'Old', description: 'Kept', tag: 'old' }, null, AT);
      plugin.noteNewest({ tag: 'v2', etag: '"2"' }, AT);
      plugin.renew('v3', manifest, { methods: [] }, later(1));
      expect(plugin).toMatchObject({
        name: 'New',
        description: 'Kept',
        configSchema: { key: {} },
        capabilities: { methods: [] },
        tag: 'v3',
        newest: { tag: 'v3', etag: null },
        updatedAt: later(1),
      });
    });

    it('knows the newest version for half an hour', () => {
      const plugin = Plugin.install(mine, {}, null, AT);
      expect(plugin.knowsNewest(AT)).toBe(false);
      plugin.noteNewest({ tag: 'v2', etag: '"2"' }, AT);
      expect(plugin.newest).toEqual({ tag: 'v2', etag: '"2"' });
      expect([0, 29, 30, -1].map((minutes) => plugin.knowsNewest(later(minutes)))).toEqual([
        true,
        true,
        false,
        false,
      ]);
      plugin.renew('v2', manifest, {}, AT);
      expect(plugin.knowsNewest(AT)).toBe(false);
    });

    it('tells whether it was fetched again', () => {
      const [plugin, same] = [Plugin.install(mine, {}, null, AT), Plugin.install(mine, {}, null, AT)];
      expect(plugin.isFetchOf(same)).toBe(true);
      plugin.renew('v1', manifest, {}, AT);
      expect(plugin.isFetchOf(same)).toBe(false);
      same.renew('v1', manifest, {}, AT);
      expect(plugin.isFetchOf(same)).toBe(true);
      plugin.renew('v1', manifest, {}, later(1));
      expect(plugin.isFetchOf(same)).toBe(false);
    });
  });

  it('is made global with root access only (PLUG-14)', () => {
    expect(() => Plugin.install(mine, { isGlobal: true }, null, AT)).toThrow(CannotManageGlobalPlugins);
    expect(Plugin.install(mine, { isGlobal: false }, null, AT)).toMatchObject({ isGlobal: false });
    expect(Plugin.install(root, { isGlobal: true }, null, AT)).toMatchObject({ isGlobal: true });
  });

  it('takes a change that names isGlobal with root access only, a replacement that alters it (PLUG-18)', () => {
    const plugin = Plugin.install(mine, { name: 'a' }, null, AT);
    expect(() => plugin.change(mine, { isGlobal: false, name: 'b' }, AT)).toThrow(CannotManageGlobalPlugins);
    expect(() => plugin.replace(mine, { isGlobal: true, name: 'b' }, AT)).toThrow(CannotManageGlobalPlugins);
    expect(plugin.title).toBe('a');
    plugin.replace(mine, { isGlobal: false, name: 'b' }, AT);
    expect(plugin.title).toBe('b');
    plugin.replace(root, { isGlobal: true }, AT);
    expect(plugin).toMatchObject({ isGlobal: true, name: 'b' });
  });

  it('tells null from absent', () => {
    const plugin = Plugin.install(mine, { name: 'a', tag: 'v1' }, null, AT);
    plugin.change(mine, { name: null, capabilities: null }, AT);
    expect(plugin).toMatchObject({ name: null, tag: 'v1', capabilities: null, metrics: {} });
  });

  it('is managed by the organization that installed it (PLUG-17, PLUG-21)', () => {
    const plugin = Plugin.install(root, { isGlobal: true }, null, AT);
    const other = shelfOf('other', PluginsAccess.Root);
    expect(() => plugin.change(other, { name: 'x' }, AT)).toThrow(ManagedByAnotherOrganization);
    expect(() => plugin.requireUninstallable('other')).toThrow(ManagedByAnotherOrganization);
    expect(() => plugin.requireUninstallable('mine')).toThrow(PluginIsGlobal);
    plugin.change(root, { isGlobal: false }, AT);
    expect(() => plugin.requireUninstallable('mine')).not.toThrow();
  });
});
