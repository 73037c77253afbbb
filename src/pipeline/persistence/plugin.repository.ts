import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { violates } from '../../shared/persistence/database-errors';
import { Transaction } from '../../shared/persistence/transaction';
import { Plugin } from '../domain/plugin';
import { PluginAlreadyInstalled } from '../domain/plugin-errors';
import type { PluginShelf } from '../domain/plugin-family';

@Injectable()
export class PluginRepository {
  constructor(private readonly transaction: Transaction) {}

  /** One that the organization sees: its own or a global one (D17). Locks it. @throws NotFound */
  get({ family, organizationId }: PluginShelf, id: number): Promise<Plugin> {
    return this.locked([
      { id, family, organizationId },
      { id, family, isGlobal: true },
    ]);
  }

  /** One that the organization installed itself (PLUG-26). Locks it. @throws NotFound */
  getOwn({ family, organizationId }: PluginShelf, id: number): Promise<Plugin> {
    return this.locked([{ id, family, organizationId }]);
  }

  /** @throws PluginAlreadyInstalled when there is one from the same address anywhere (PLUG-11). */
  async add(plugin: Plugin): Promise<void> {
    try {
      await this.transaction.manager.save(Plugin, plugin);
    } catch (error) {
      if (violates(error, 'plugins_url_unique')) throw new PluginAlreadyInstalled(plugin.url ?? '');
      throw error;
    }
  }

  async save(plugin: Plugin): Promise<void> {
    await this.transaction.manager.save(Plugin, plugin);
  }

  /** Its source goes with it, by the foreign key. */
  async remove(plugin: Plugin): Promise<void> {
    await this.transaction.manager.delete(Plugin, { id: plugin.id });
  }

  private async locked(where: object[]): Promise<Plugin> {
    const plugin = await this.transaction.manager.findOne(Plugin, {
      where,
      lock: { mode: 'pessimistic_write' },
    });
    if (!plugin) throw new NotFound();
    return plugin;
  }
}
