import type { PluginsAccess } from '../../shared/domain/level';

/** The four families, named after their paths. A plugin belongs to the one it was created under (D17). */
export type PluginFamily =
  | 'pipeline_destinations'
  | 'pipeline_frontend_apps'
  | 'pipeline_import_apps'
  | 'pipeline_transformations';

/** A family as one organization has it, and what that organization may do with plugins. */
export interface PluginShelf {
  readonly family: PluginFamily;
  readonly organizationId: string;
  readonly access: PluginsAccess;
}
