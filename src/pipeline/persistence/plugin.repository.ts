import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { violates } from '../../shared/persistence/database-errors';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { Plugin } from '../domain/plugin';
import { PluginAlreadyInstalled } from '../domain/plugin-errors';
import type { PluginShelf } from '../domain/plugin-family';
import { visibleTo } from './plugin.columns';

const SEEN = `SELECT p.id FROM plugins p WHERE p.id = $2 AND ${visibleTo('$1')}`;
const SHARE = new Statement<{ id: number }>('plugin.share', `${SEEN} FOR SHARE OF p`);
const LOCK = new Statement<{ id: number }>('plugin.lock', `${SEEN} AND p.family = $3 FOR UPDATE OF p`);
const INSTALLED = new Statement<{ id: number }>('plugin.installed', 'SELECT id FROM plugins WHERE url = $1');

@Injectable()
export class PluginRepository {
  constructor(private readonly transaction: Transaction) {}

  /** One of the family that the organization sees (D17, PLUG-04). Locks it. @throws NotFound */
  async get({ family, organizationId }: PluginShelf, id: number): Promise<Plugin> {
    const [seen] = await this.transaction.rows(LOCK, [organizationId, id, family]);
    const plugin = seen ? await this.found(id) : null;
    if (!plugin) throw new NotFound();
    return plugin;
  }

  /**
   * One that the organization sees, of any family. It stays as it is until the transaction ends; others may read it
   * in the same way meanwhile. Null when there is none.
   */
  async findVisible(organizationId: string, id: number): Promise<Plugin | null> {
    const [seen] = await this.transaction.rows(SHARE, [organizationId, id]);
    return seen ? this.found(id) : null;
  }

  /** One that the organization installed itself (PLUG-26). Locks it. @throws NotFound */
  async getOwn({ family, organizationId }: PluginShelf, id: number): Promise<Plugin> {
    const plugin = await this.transaction.manager.findOne(Plugin, {
      where: { id, family, organizationId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!plugin) throw new NotFound();
    return plugin;
  }

  /** Whether there is one from this address anywhere (PLUG-11). */
  async isInstalled(url: string): Promise<boolean> {
    return (await this.transaction.rows(INSTALLED, [url])).length > 0;
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

  /** Its source and its configs go with it, by the foreign keys. */
  async remove(plugin: Plugin): Promise<void> {
    await this.transaction.manager.delete(Plugin, { id: plugin.id });
  }

  private found(id: number): Promise<Plugin | null> {
    return this.transaction.manager.findOne(Plugin, { where: { id } });
  }
}
