import type { Activity, Change } from '../activity/index';
import type { Plugin } from './domain/plugin';

export const PLUGIN_SCOPE = 'Plugin';

/** That something was done to a plugin; entries are read by its family. */
export function pluginActivity(
  plugin: Plugin,
  activity: 'installed' | 'uninstalled' | 'updated' | 'source_updated',
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
