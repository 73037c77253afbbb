import { Injectable } from '@nestjs/common';
import { ActivityLog, changesBetween, snapshotOf } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import type {
  NumberedPage,
  NumberedWindow,
  Page,
  PageWindow,
  Representation,
} from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import type { Plugin, PluginDetails } from './domain/plugin';
import type { PluginShelf } from './domain/plugin-family';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PLUGIN_SCOPE, pluginActivity } from './plugin-activity';
import { PluginSecretsService } from './plugin-secrets.service';

/** The plugins of a family as one organization has it, once they are installed. */
@Injectable()
export class PluginService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly log: ActivityLog,
    private readonly plugins: PluginRepository,
    private readonly queries: PluginQueries,
    private readonly hiding: PluginSecretsService,
  ) {}

  /** By id: the organization's own plugins, global ones, and those that its projects use (D17, PLUG-04). */
  list(shelf: PluginShelf, window: PageWindow): Promise<Page> {
    return this.queries.list(shelf, window);
  }

  /** @throws NotFound */
  retrieve(shelf: PluginShelf, id: number): Promise<Representation> {
    return this.queries.retrieve(shelf, id);
  }

  /** @throws NotFound, ManagedByAnotherOrganization, CannotManageGlobalPlugins */
  update(shelf: PluginShelf, id: number, details: PluginDetails): Promise<Representation> {
    return this.changing(shelf, id, (plugin) => plugin.change(shelf, details, this.clock.now()));
  }

  /** @throws NotFound, ManagedByAnotherOrganization, CannotManageGlobalPlugins */
  replace(shelf: PluginShelf, id: number, details: PluginDetails): Promise<Representation> {
    return this.changing(shelf, id, (plugin) => plugin.replace(shelf, details, this.clock.now()));
  }

  /** Deletes its source as well; its activity stays. @throws NotFound, ManagedByAnotherOrganization, PluginIsGlobal */
  delete(shelf: PluginShelf, id: number): Promise<void> {
    return this.transaction.run(async () => {
      const plugin = await this.plugins.get(shelf, id);
      const before = await this.queries.retrieve(shelf, id);
      this.preconditions.check(before);
      plugin.requireUninstallable(shelf.organizationId);
      await this.plugins.remove(plugin);
      await this.log.record(pluginActivity(plugin, 'uninstalled', changesBetween(snapshotOf(before), {})));
    });
  }

  /** Ids of the plugins, of those that the organization sees, that no project anywhere has enabled (PLUG-30). */
  unused(shelf: PluginShelf): Promise<Representation> {
    return this.queries.unused(shelf);
  }

  /**
   * What was done to the organization's plugins of this family, deleted ones included, newest first (PLUG-33); in private
   * projects, what the user sees.
   */
  activity(
    { family, organizationId }: PluginShelf,
    userId: number,
    window: NumberedWindow,
  ): Promise<NumberedPage> {
    return this.log.listOfKind(organizationId, userId, { scope: PLUGIN_SCOPE, type: family }, window);
  }

  private changing(
    shelf: PluginShelf,
    id: number,
    change: (plugin: Plugin) => void,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const plugin = await this.plugins.get(shelf, id);
      const before = await this.queries.retrieve(shelf, id);
      this.preconditions.check(before);
      const { settings } = plugin;
      change(plugin);
      await this.plugins.save(plugin);
      await this.hiding.keep(plugin, settings);
      const after = await this.queries.retrieve(shelf, id);
      const changes = changesBetween(snapshotOf(before), snapshotOf(after));
      if (changes.length > 0) await this.log.record(pluginActivity(plugin, 'updated', changes));
      return after;
    });
  }
}
