import { Injectable } from '@nestjs/common';
import { ActivityLog, changesBetween, snapshotOf } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import { PluginsAccess } from '../shared/domain/level';
import type { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { mainFileOf, PluginCompiler } from './code/plugin-compiler';
import type { PluginManifest } from './domain/plugin';
import { SourceEditingNotAvailable } from './domain/plugin-errors';
import type { PluginShelf } from './domain/plugin-family';
import type { SourceEdit } from './domain/plugin-source';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PluginSourceRepository } from './persistence/plugin-source.repository';
import { pluginActivity } from './plugin-activity';
import { PluginSecretsService } from './plugin-secrets.service';

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
    private readonly hiding: PluginSecretsService,
    private readonly compiler: PluginCompiler,
  ) {}

  /** @throws SourceEditingNotAvailable below install access, NotFound unless the organization installed it (PLUG-26). */
  async retrieve(shelf: PluginShelf, id: number): Promise<Representation> {
    if (shelf.access < PluginsAccess.Install) throw new SourceEditingNotAvailable();
    return this.queries.source(shelf, id);
  }

  /**
   * Files are stored as they are, with what becomes of those that are compiled (PLUG-25). What the edit's `plugin.json`
   * says becomes the plugin's (PLUG-24), and so does what its code can do by then.
   * @throws NotFound unless the organization installed it (PLUG-26); TooMuchSource
   */
  update(
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
      const hadCode = mainFileOf(source.contents) !== null;
      const files = source.edit(edit, now);
      const { settings } = plugin;
      if (files.length > 0) {
        const compilation = await this.compiler.compile(source.contents);
        const names = [...files.map(({ filename }) => filename), ...source.compiled(compilation)];
        await this.sources.save(plugin, source, [...new Set(names)]);
        const { capabilities } = compilation;
        // What a caller says of a plugin without code stays.
        if (capabilities || hadCode) plugin.learn({ ...capabilities }, now);
      }
      if (manifest) plugin.describe(manifest, now);
      await this.plugins.save(plugin);
      await this.hiding.keep(plugin, settings);
      const after = await this.queries.retrieveOwn(shelf, id);
      const changes = [
        ...files.map(({ filename, action }) => ({ field: filename, action, before: null, after: null })),
        ...changesBetween(snapshotOf(before), snapshotOf(after)),
      ];
      if (changes.length > 0) await this.log.record(pluginActivity(plugin, 'source_updated', changes));
      return this.queries.source(shelf, id);
    });
  }
}
