/** The fields of a plugin (2.8) out of `PLUGIN_FROM`. */
export const PLUGIN_COLUMNS = `
  p.id, p.plugin_type, p.name, p.description, p.url, p.icon, p.config_schema, p.tag, p.latest_tag, p.is_global,
  p.organization_id, o.name AS organization_name, p.capabilities, p.metrics, p.public_jobs,
  'false' AS hog_function_migration_available`;

export const PLUGIN_OWNER = 'JOIN organizations o ON o.id = p.organization_id';
export const PLUGIN_FROM = `plugins p ${PLUGIN_OWNER}`;

/** The plugins that the organization's projects have configs for. */
const configuredIn = (organization: string): string => `
  SELECT c.plugin_id FROM plugin_configs c JOIN projects pr ON pr.id = c.project_id
   WHERE pr.organization_id = ${organization} AND NOT c.deleted`;

/** Whether the organization of the parameter sees a plugin: its own, global ones, and what it uses (D17, PLUG-04). */
export const visibleTo = (organization: string): string =>
  `(p.organization_id = ${organization} OR p.is_global OR p.id = ANY (ARRAY(${configuredIn(organization)})))`;

/** The same for all plugins of a family at once. An array, so that an index finds them. */
export const visibleOf = (family: string, organization: string): string =>
  `p.family = ${family} AND p.id = ANY (ARRAY(
     SELECT own.id FROM plugins own WHERE own.organization_id = ${organization} AND own.family = ${family}
      UNION ALL
     SELECT everybodys.id FROM plugins everybodys WHERE everybodys.is_global AND everybodys.family = ${family}
      UNION ALL ${configuredIn(organization)}))`;
