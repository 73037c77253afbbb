import { Injectable } from '@nestjs/common';
import { ActivityLog, type Actor, changesBetween } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import { PluginsAccess } from '../shared/domain/level';
import {
  type NumberedPage,
  type NumberedWindow,
  type Page,
  type PageWindow,
  Representation,
} from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { SecretBox } from '../shared/secrets/secret-box';
import { Plugin, type PluginDetails, type PluginOrigin } from './domain/plugin';
import { PluginAddress } from './domain/plugin-address';
import { InstallationNotAvailable } from './domain/plugin-errors';
import type { PluginShelf } from './domain/plugin-family';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PLUGIN_SCOPE, pluginActivity } from './plugin-activity';

/** The plugins of a family as one organization has it. */
@Injectable()
export class PluginService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly secrets: SecretBox,
    private readonly log: ActivityLog,
    private readonly plugins: PluginRepository,
    private readonly queries: PluginQueries,
  ) {}

  /** The organization's own plugins and global ones, by id (D17). */
  list(shelf: PluginShelf, window: PageWindow): Promise<Page> {
    return this.queries.list(shelf, window);
  }

  /** @throws NotFound */
  retrieve(shelf: PluginShelf, id: number): Promise<Representation> {
    return this.queries.retrieve(shelf, id);
  }

  /**
   * Stores a plugin; nothing is fetched from its `url`.
   * @throws NoPluginAddress, PluginAlreadyInstalled, CannotManageGlobalPlugins
   */
  create(
    actor: Actor,
    shelf: PluginShelf,
    { url, ...details }: PluginDetails & { readonly url?: string | null },
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const origin = typeof url === 'string' ? this.originOf(url) : null;
      const plugin = Plugin.install(shelf, details, origin, this.clock.now());
      await this.plugins.add(plugin);
      await this.log.record(actor, pluginActivity(plugin, 'installed'));
      return this.queries.retrieve(shelf, plugin.id);
    });
  }

  /** @throws NotFound, ManagedByAnotherOrganization, CannotManageGlobalPlugins */
  update(actor: Actor, shelf: PluginShelf, id: number, details: PluginDetails): Promise<Representation> {
    return this.changing(actor, shelf, id, (plugin) => plugin.change(shelf, details, this.clock.now()));
  }

  /** @throws NotFound, ManagedByAnotherOrganization, CannotManageGlobalPlugins */
  replace(actor: Actor, shelf: PluginShelf, id: number, details: PluginDetails): Promise<Representation> {
    return this.changing(actor, shelf, id, (plugin) => plugin.replace(shelf, details, this.clock.now()));
  }

  /** Deletes its source as well; its activity stays. @throws NotFound, ManagedByAnotherOrganization, PluginIsGlobal */
  delete(actor: Actor, shelf: PluginShelf, id: number): Promise<void> {
    return this.transaction.run(async () => {
      const plugin = await this.plugins.get(shelf, id);
      plugin.requireUninstallable(shelf.organizationId);
      await this.plugins.remove(plugin);
      await this.log.record(actor, pluginActivity(plugin, 'uninstalled'));
    });
  }

  /** Ids of the plugins that nothing uses: all of them, as there are no configurations of plugins yet (PLUG-30). */
  unused(shelf: PluginShelf): Promise<Representation> {
    return this.queries.ids(shelf);
  }

  /** What was done to the organization's plugins of this family, deleted ones included, newest first (PLUG-33). */
  activity({ family, organizationId }: PluginShelf, window: NumberedWindow): Promise<NumberedPage> {
    return this.log.list(organizationId, { scope: PLUGIN_SCOPE, type: family }, window);
  }

  /**
   * The plugin as it is: nothing is fetched from outside.
   * @throws InstallationNotAvailable below install access, NotFound unless the organization installed it (PLUG-26).
   */
  async checkForUpdates(shelf: PluginShelf, id: number): Promise<Representation> {
    if (shelf.access < PluginsAccess.Install) throw new InstallationNotAvailable();
    const { json } = await this.queries.retrieveOwn(shelf, id);
    return new Representation(`{"plugin":${json}}`);
  }

  /** The plugin as it is: nothing is fetched from outside. @throws NotFound unless the organization installed it. */
  upgrade(shelf: PluginShelf, id: number): Promise<Representation> {
    return this.queries.retrieveOwn(shelf, id);
  }

  private originOf(url: string): PluginOrigin {
    const address = PluginAddress.parse(url);
    const { privateToken } = address;
    return {
      url: address.url,
      // The address is the plugin's for good and no other's, so the token opens nowhere else.
      sealedPrivateToken: privateToken === null ? null : this.secrets.seal(privateToken, address.url),
    };
  }

  private changing(
    actor: Actor,
    shelf: PluginShelf,
    id: number,
    change: (plugin: Plugin) => void,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const plugin = await this.plugins.get(shelf, id);
      const before = await this.queries.retrieve(shelf, id);
      change(plugin);
      await this.plugins.save(plugin);
      const after = await this.queries.retrieve(shelf, id);
      const changes = changesBetween(JSON.parse(before.json), JSON.parse(after.json));
      if (changes.length > 0) await this.log.record(actor, pluginActivity(plugin, 'updated', changes));
      return after;
    });
  }
}
