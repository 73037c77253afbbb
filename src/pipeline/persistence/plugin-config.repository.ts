import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { NotFound } from '../../shared/domain/domain-error';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { SECRET_MASK } from '../domain/config-values';
import { Plugin } from '../domain/plugin';
import { type ConfigPlace, PluginConfig } from '../domain/plugin-config';
import { visibleTo } from './plugin.columns';

const LAST_ORDER = 2_147_483_647;

const NEXT = new Statement<{ id: number; last: number }>(
  'plugin_config.next',
  `SELECT nextval(pg_get_serial_sequence('plugin_configs', 'id'))::int AS id,
          coalesce((SELECT max(c."order") FROM plugin_configs c WHERE c.project_id = $1 AND NOT c.deleted), 0) AS last`,
);

const PLUGIN = new Statement<{ id: number }>(
  'plugin_config.plugin',
  `SELECT p.id FROM plugin_configs c JOIN plugins p ON p.id = c.plugin_id
    WHERE c.project_id = $2 AND c.id = $3 AND ${visibleTo('$1')} FOR SHARE OF p`,
);

/** The configs of a plugin that hold one of the settings in the clear, some at a time. */
const EXPOSING = new Statement<{ id: number }>(
  'plugin_config.exposing',
  `SELECT c.id FROM plugin_configs c
    WHERE c.plugin_id = $1 AND EXISTS (
      SELECT FROM jsonb_each(c.config) e
       WHERE e.key = ANY ($2) AND e.value NOT IN ('""', 'null', to_jsonb('${SECRET_MASK}'::text))
         AND e.value->>'name' IS DISTINCT FROM '${SECRET_MASK}')
    ORDER BY c.id LIMIT 100`,
);

@Injectable()
export class PluginConfigRepository {
  constructor(private readonly transaction: Transaction) {}

  /** The id of a new config, and the place behind the project's last one. */
  async next(projectId: number): Promise<{ readonly id: number; readonly order: number }> {
    const [row] = await this.transaction.rows(NEXT, [projectId]);
    if (!row) throw new Error('The sequence of plugin_configs gave no id');
    return { id: row.id, order: Math.min(row.last + 1, LAST_ORDER) };
  }

  /**
   * A config with its plugin; a deleted one only as long as the organization sees the plugin. Until the transaction
   * ends the config is locked, and the plugin stays as it is. The plugin comes first, as when it is deleted.
   * @throws NotFound
   */
  async get(
    { organizationId, projectId }: ConfigPlace,
    id: number,
  ): Promise<{ config: PluginConfig; plugin: Plugin }> {
    const [row] = await this.transaction.rows(PLUGIN, [organizationId, projectId, id]);
    const plugin = row ? await this.transaction.manager.findOne(Plugin, { where: { id: row.id } }) : null;
    const config = await this.transaction.manager.findOne(PluginConfig, {
      where: { id, projectId },
      lock: { mode: 'for_no_key_update' },
    });
    if (!plugin || !config) throw new NotFound();
    return { config, plugin };
  }

  /** Those of the ids that the project has and are not deleted, locked in the order of their ids. */
  several(projectId: number, ids: readonly number[]): Promise<PluginConfig[]> {
    return this.transaction.manager.find(PluginConfig, {
      where: { id: In(ids), projectId, deleted: false } as object,
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  /** By their ids. */
  async pluginsOf(configs: readonly PluginConfig[]): Promise<ReadonlyMap<number, Plugin>> {
    const ids = configs.map(({ pluginId }) => pluginId);
    const plugins = await this.transaction.manager.findBy(Plugin, { id: In(ids) });
    return new Map(plugins.map((plugin) => [plugin.id, plugin]));
  }

  /** Up to 100 of the plugin's configs, in whatever project, that hold one of the settings in the clear. */
  async exposing(plugin: Plugin, keys: readonly string[]): Promise<PluginConfig[]> {
    const rows = await this.transaction.rows(EXPOSING, [plugin.id, keys]);
    return this.transaction.manager.find(PluginConfig, {
      where: { id: In(rows.map(({ id }) => id)) },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
  }

  async add(config: PluginConfig): Promise<void> {
    await this.transaction.manager.insert(PluginConfig, { ...config } as object);
  }

  async save(configs: PluginConfig | readonly PluginConfig[]): Promise<void> {
    await this.transaction.manager.save(PluginConfig, [configs].flat());
  }
}
