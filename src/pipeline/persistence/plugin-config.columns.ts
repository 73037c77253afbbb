import { SECRET_MASK } from '../domain/config-values';
import { PLUGIN_COLUMNS, PLUGIN_FROM } from './plugin.columns';

/** The keys of the settings that a plugin asks for, and which are secrets, as `ConfigSchema` reads them. */
const FIELDS = `
  SELECT key, bool_or(secret) AS secret
    FROM (SELECT f->>'key' AS key, f->'secret' AS said
            FROM jsonb_array_elements(CASE jsonb_typeof(p.config_schema) WHEN 'array' THEN p.config_schema END) f
           WHERE jsonb_typeof(f->'key') = 'string'
           UNION ALL
          SELECT f.key, f.value->'secret'
            FROM jsonb_each(CASE jsonb_typeof(p.config_schema) WHEN 'object' THEN p.config_schema END) f
           WHERE jsonb_typeof(f.value) = 'object') AS named,
         LATERAL (SELECT coalesce(said NOT IN ('false', 'null', '0', '""'), false) AS secret) AS truth
   GROUP BY key`;

/**
 * The stored settings that the plugin still asks for. What is sealed is a mask in the column already; what became a
 * secret after it was stored is masked here (PLUG-32); a secret file has the mask for a name.
 */
const SHOWN = `
  (SELECT coalesce(jsonb_object_agg(field.key,
            CASE WHEN field.secret AND c.config->field.key NOT IN ('""', 'null')
                      AND c.config->field.key->>'name' IS DISTINCT FROM '${SECRET_MASK}'
                 THEN to_jsonb('${SECRET_MASK}'::text) ELSE c.config->field.key END), '{}')
     FROM (${FIELDS}) AS field WHERE c.config ? field.key)`;

const WHOLE_PLUGIN = `
  (SELECT row_to_json(info)
     FROM (SELECT ${PLUGIN_COLUMNS} FROM ${PLUGIN_FROM} WHERE p.id = c.plugin_id) AS info)`;

/** The fields of a config (PLUG-31) out of `CONFIG_FROM`; `plugin_info` is left out of lists. */
const columns = (pluginInfo: string): string => `
  c.id, c.plugin_id AS plugin, c.enabled, c."order", ${SHOWN} AS config, NULL::text AS error,
  c.project_id AS team_id, ${pluginInfo} AS plugin_info, NULL::float AS delivery_rate_24h,
  iso8601(c.created_at) AS created_at, iso8601(c.updated_at) AS updated_at,
  coalesce(nullif(c.name, ''), p.name) AS name,
  coalesce(nullif(c.description, ''), p.description) AS description, c.deleted`;

export const CONFIG_COLUMNS = columns(WHOLE_PLUGIN);
export const LISTED_CONFIG_COLUMNS = columns('NULL::json');
export const CONFIG_PLUGIN = 'JOIN plugins p ON p.id = c.plugin_id';
export const CONFIG_FROM = `plugin_configs c ${CONFIG_PLUGIN}`;
