import { Injectable } from '@nestjs/common';
import { ActivityLog, type Actor, changesBetween } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import { PluginsAccess } from '../shared/domain/level';
import type { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import type { PluginManifest } from './domain/plugin';
import { SourceEditingNotAvailable } from './domain/plugin-errors';
import type { PluginShelf } from './domain/plugin-family';
import type { SourceEdit } from './domain/plugin-source';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PluginSourceRepository } from './persistence/plugin-source.repository';
import { pluginActivity } from './plugin-activity';

/** The source files of plugins. */
@Injectable()
export class PluginSourceService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly log: ActivityLog,
    private readonly plugins: PluginRepository,
    private readonly sources: PluginSourceRepository,
    private readonly queries: PluginQueries,
  ) {}

  /** @throws SourceEditingNotAvailable below install access, NotFound unless the organization installed it (PLUG-26). */
  async retrieve(shelf: PluginShelf, id: number): Promise<Representation> {
    if (shelf.access < PluginsAccess.Install) throw new SourceEditingNotAvailable();
    return this.queries.source(shelf, id);
  }

  /**
   * Files are stored as they are. What the edit's `plugin.json` says becomes the plugin's (PLUG-24).
   * @throws NotFound unless the organization installed it (PLUG-26); TooMuchSource
   */
  update(
    actor: Actor,
    shelf: PluginShelf,
    id: number,
    edit: SourceEdit,
    manifest: PluginManifest | null,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      const plugin = await this.plugins.getOwn(shelf, id);
      const before = await this.queries.retrieveOwn(shelf, id);
      const source = await this.sources.of(plugin);
      const files = source.edit(edit, now);
      await this.sources.save(plugin, source, files);
      if (manifest) plugin.describe(manifest, now);
      await this.plugins.save(plugin);
      const after = await this.queries.retrieveOwn(shelf, id);
      const changes = [
        ...files.map(({ filename, action }) => ({ field: filename, action, before: null, after: null })),
        ...changesBetween(JSON.parse(before.json), JSON.parse(after.json)),
      ];
      if (changes.length > 0) await this.log.record(actor, pluginActivity(plugin, 'source_updated', changes));
      return this.queries.source(shelf, id);
    });
  }
}
