import { Injectable } from '@nestjs/common';
import { ActivityLog, changesBetween, secretChanged } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { SecretBox } from '../shared/secrets/secret-box';
import { SECRET_MASK } from './domain/config-values';
import type { Plugin } from './domain/plugin';
import { type ConfigPlace, PluginConfig, type PluginConfigDetails } from './domain/plugin-config';
import { ConfigToOrderUnknown, PluginUnknown, settingName } from './domain/plugin-config-errors';
import type { PluginShelf } from './domain/plugin-family';
import { PluginRepository } from './persistence/plugin.repository';
import { PluginConfigQueries } from './persistence/plugin-config.queries';
import { PluginConfigRepository } from './persistence/plugin-config.repository';
import { configActivity } from './plugin-activity';

/** How projects use plugins. */
@Injectable()
export class PluginConfigService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly vault: SecretBox,
    private readonly log: ActivityLog,
    private readonly plugins: PluginRepository,
    private readonly configs: PluginConfigRepository,
    private readonly queries: PluginConfigQueries,
  ) {}

  /** By order, without those that are deleted. */
  list({ projectId }: ConfigPlace, window: PageWindow): Promise<Page> {
    return this.queries.list(projectId, window);
  }

  /** @throws NotFound */
  retrieve(place: ConfigPlace, id: number): Promise<Representation> {
    return this.queries.retrieve(place, id);
  }

  /** The enabled configs that send data out, in the organization's projects that the user sees (PLUG-31). */
  exporting(shelf: PluginShelf, userId: number): Promise<Representation> {
    return this.queries.exporting(shelf, userId);
  }

  /** Without an order it comes last. @throws PluginUnknown, Invalid for a config that the plugin does not ask for */
  create(
    place: ConfigPlace,
    { plugin: pluginId, ...details }: PluginConfigDetails & { readonly plugin: number },
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      const plugin = await this.plugins.findVisible(place.organizationId, pluginId);
      if (!plugin) throw new PluginUnknown(pluginId);
      const { id, order } = await this.configs.next(place.projectId);
      const config = new PluginConfig(id, place.projectId, pluginId, details.order ?? order, now);
      const before = { ...config.shown(plugin.settings), id: null };
      config.change(plugin.settings, details, this.vault, now);
      await this.configs.add(config);
      await this.record(place, plugin, config, before, []);
      return this.queries.retrieve(place, id);
    });
  }

  /** @throws NotFound, DeletedConfigIsDisabled, Invalid for a config that the plugin does not ask for */
  update(place: ConfigPlace, id: number, details: PluginConfigDetails): Promise<Representation> {
    return this.transaction.run(async () => {
      await this.change(place, id, (config, { settings }) =>
        config.change(settings, details, this.vault, this.clock.now()),
      );
      return this.queries.retrieve(place, id);
    });
  }

  /** Soft; it is disabled as well. @throws NotFound */
  delete(place: ConfigPlace, id: number): Promise<void> {
    return this.transaction.run(() =>
      this.change(place, id, (config) => {
        config.delete(this.clock.now());
        return [];
      }),
    );
  }

  /** All or nothing. @returns what `list` shows, as an array @throws ConfigToOrderUnknown */
  rearrange(place: ConfigPlace, orders: ReadonlyMap<number, number>): Promise<Representation> {
    return this.transaction.run(async () => {
      const found = await this.configs.several(place.projectId, [...orders.keys()]);
      const missing = [...orders.keys()].find((id) => !found.some((config) => config.id === id));
      if (missing !== undefined) throw new ConfigToOrderUnknown(missing);
      const plugins = await this.configs.pluginsOf(found);
      for (const config of found) {
        const plugin = plugins.get(config.pluginId);
        const order = orders.get(config.id);
        if (!plugin || order === undefined) continue;
        const before = config.shown(plugin.settings);
        config.putInPlace(order, this.clock.now());
        await this.record(place, plugin, config, before, []);
      }
      await this.configs.save(found);
      return this.queries.all(place.projectId);
    });
  }

  private async change(
    place: ConfigPlace,
    id: number,
    work: (config: PluginConfig, plugin: Plugin) => string[],
  ): Promise<void> {
    const { config, plugin } = await this.configs.get(place, id);
    this.preconditions.check(await this.queries.retrieve(place, id));
    const before = config.shown(plugin.settings);
    const secrets = work(config, plugin);
    await this.configs.save(config);
    await this.record(place, plugin, config, before, secrets);
  }

  /** One entry for each kind of change. `secrets` are the keys of those that changed behind their masks. */
  private async record(
    place: ConfigPlace,
    plugin: Plugin,
    config: PluginConfig,
    before: Record<string, unknown>,
    secrets: readonly string[],
  ): Promise<void> {
    const seen = changesBetween(before, config.shown(plugin.settings));
    const told = new Set(seen.map(({ field }) => field));
    const hidden = secrets
      .map(settingName)
      .filter((field) => !told.has(field))
      .map((field) => secretChanged(field, SECRET_MASK));
    const of = (...fields: string[]) => seen.filter(({ field }) => fields.includes(field));
    const enabled = of('enabled');
    const order = of('order');
    const others = [...seen.filter((change) => ![...enabled, ...order].includes(change)), ...hidden];
    const entries = [
      ['config_updated', others],
      ['order_changed', order],
      [enabled[0]?.after ? 'enabled' : 'disabled', enabled],
    ] as const;
    for (const [activity, changes] of entries) {
      if (changes.length === 0) continue;
      await this.log.record(configActivity(plugin, config, place, activity, changes));
    }
  }
}
