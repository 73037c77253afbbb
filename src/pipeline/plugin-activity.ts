import type { Activity, Change } from '../activity/index';
import type { Plugin } from './domain/plugin';
import type { ConfigPlace, PluginConfig } from './domain/plugin-config';

export const PLUGIN_SCOPE = 'Plugin';

/** That something was done to a plugin; entries are read by its family. */
export function pluginActivity(
  plugin: Plugin,
  activity: 'installed' | 'uninstalled' | 'updated' | 'source_updated' | 'upgraded',
  changes?: readonly Change[],
): Activity {
  return {
    organizationId: plugin.organizationId,
    scope: PLUGIN_SCOPE,
    type: plugin.family,
    itemId: String(plugin.id),
    name: plugin.title,
    activity,
    changes,
  };
}

/** That something was done to a project's config of a plugin; entries are read with the plugin's. */
export function configActivity(
  plugin: Plugin,
  config: PluginConfig,
  { organizationId, projectId }: ConfigPlace,
  activity: 'enabled' | 'disabled' | 'order_changed' | 'config_updated',
  changes: readonly Change[],
): Activity {
  return {
    // Of whose project it is: a global plugin is another organization's.
    organizationId,
    projectId,
    scope: PLUGIN_SCOPE,
    type: plugin.family,
    itemId: String(plugin.id),
    name: config.title ?? plugin.title,
    activity,
    changes,
  };
}
