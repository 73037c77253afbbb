import { Injectable } from '@nestjs/common';
import { ActivityLog, changesBetween, snapshotOf } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import { PluginsAccess } from '../shared/domain/level';
import { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { SecretBox } from '../shared/secrets/secret-box';
import { PluginCompiler } from './code/plugin-compiler';
import { Plugin, type PluginDetails, type ReleaseManifest } from './domain/plugin';
import type { PluginAddress } from './domain/plugin-address';
import { InstallationNotAvailable, PluginAlreadyInstalled } from './domain/plugin-errors';
import type { PluginShelf } from './domain/plugin-family';
import { type Compilation, type FileChange, PluginSource } from './domain/plugin-source';
import { PluginHosts } from './hosts/plugin-hosts';
import { readManifest } from './manifest/manifest.reader';
import { PluginQueries } from './persistence/plugin.queries';
import { PluginRepository } from './persistence/plugin.repository';
import { PluginSourceRepository } from './persistence/plugin-source.repository';
import { pluginActivity } from './plugin-activity';
import { PluginSecretsService } from './plugin-secrets.service';

/** A plugin as it was fetched, and what follows from its source. */
interface Fetched {
  readonly tag: string | null;
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: ReleaseManifest;
  readonly compilation: Compilation;
}

/** How plugins get here and stay new. What is asked of other hosts is asked outside of transactions. */
@Injectable()
export class PluginInstallationService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly vault: SecretBox,
    private readonly log: ActivityLog,
    private readonly plugins: PluginRepository,
    private readonly sources: PluginSourceRepository,
    private readonly queries: PluginQueries,
    private readonly hosts: PluginHosts,
    private readonly compiler: PluginCompiler,
    private readonly hiding: PluginSecretsService,
  ) {}

  /**
   * Fetches a plugin that has a `url`. What its `plugin.json` says comes before what the caller says (PLUG-09);
   * capabilities are those that the caller says (PLUG-03), else what its code can do.
   * @throws CannotManageGlobalPlugins, NoPluginAddress, PluginAlreadyInstalled; what fetching and reading it throws:
   *   NothingAtAddress, PrivateAddress, UnfitPlugin, TooMuchSource, PluginUnreachable
   */
  async create(
    shelf: PluginShelf,
    { url, ...details }: PluginDetails & { readonly url?: string | null },
  ): Promise<Representation> {
    if (typeof url !== 'string') return this.install(shelf, details, null, null);
    const address = this.hosts.addressOf(url);
    Plugin.requireInstallable(shelf, details);
    if (await this.plugins.isInstalled(address.url)) throw new PluginAlreadyInstalled(address.url);
    return this.install(shelf, details, address, await this.fetch(address));
  }

  /**
   * Asks where the plugin comes from for its newest version, at most once in half an hour. Without a `url` there is
   * nothing to ask (PLUG-28).
   * @throws InstallationNotAvailable below install access, NotFound unless the organization installed it (PLUG-26);
   *   NothingAtAddress, PrivateAddress, PluginUnreachable
   */
  async checkForUpdates(shelf: PluginShelf, id: number): Promise<Representation> {
    if (shelf.access < PluginsAccess.Install) throw new InstallationNotAvailable();
    const plugin = await this.transaction.run(() => this.plugins.getOwn(shelf, id));
    const address = this.addressOf(plugin);
    const now = this.clock.now();
    if (address && !plugin.knowsNewest(now)) {
      const newest = await this.hosts.newest(address, plugin.newest);
      await this.transaction.run(async () => {
        const current = await this.plugins.getOwn(shelf, id);
        // What was fetched meanwhile is newer than this answer may be.
        if (!current.isFetchOf(plugin)) return;
        current.noteNewest(newest, now);
        await this.plugins.save(current);
      });
    }
    const { json } = await this.queries.retrieveOwn(shelf, id);
    return new Representation(`{"plugin":${json}}`);
  }

  /**
   * Fetches a plugin that has a `url` again, and puts it in place of what is there, edited or not: all of it, or
   * nothing. Of two upgrades at once the one that ends first counts.
   * @throws NotFound unless the organization installed it (PLUG-26); what fetching and reading it throws (`create`)
   */
  async upgrade(shelf: PluginShelf, id: number): Promise<Representation> {
    const plugin = await this.transaction.run(() => this.plugins.getOwn(shelf, id));
    const address = this.addressOf(plugin);
    if (!address) return this.queries.retrieveOwn(shelf, id);
    const fetched = await this.fetch(address);
    return this.transaction.run(async () => {
      const current = await this.plugins.getOwn(shelf, id);
      const before = await this.queries.retrieveOwn(shelf, id);
      if (!current.isFetchOf(plugin)) return before;
      const now = this.clock.now();
      const { settings } = current;
      current.renew(fetched.tag, fetched.manifest, { ...fetched.compilation.capabilities }, now);
      const files = await this.store(current, await this.sources.of(current), fetched, now);
      await this.plugins.save(current);
      await this.hiding.keep(current, settings);
      const after = await this.queries.retrieveOwn(shelf, id);
      const changes = [
        ...changesBetween(snapshotOf(before), snapshotOf(after)),
        ...files.map(({ filename, action }) => ({ field: filename, action, before: null, after: null })),
      ];
      if (changes.length > 0) await this.log.record(pluginActivity(current, 'upgraded', changes));
      return after;
    });
  }

  private install(
    shelf: PluginShelf,
    details: PluginDetails,
    address: PluginAddress | null,
    fetched: Fetched | null,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      const plugin = Plugin.install(shelf, details, address && this.originOf(address), now);
      if (fetched) {
        const capabilities = details.capabilities ?? { ...fetched.compilation.capabilities };
        plugin.renew(fetched.tag, fetched.manifest, capabilities, now);
      }
      await this.plugins.add(plugin);
      if (fetched) await this.store(plugin, new PluginSource(plugin.id, []), fetched, now);
      const installed = await this.queries.retrieve(shelf, plugin.id);
      await this.log.record(pluginActivity(plugin, 'installed', changesBetween({}, snapshotOf(installed))));
      return installed;
    });
  }

  private async fetch(address: PluginAddress): Promise<Fetched> {
    const { tag, files } = await this.hosts.fetch(address);
    const manifest = readManifest(files);
    PluginSource.requireFits(files);
    return { tag, files, manifest, compilation: await this.compiler.compile(files) };
  }

  private async store(
    plugin: Plugin,
    source: PluginSource,
    { files, compilation }: Fetched,
    at: Date,
  ): Promise<FileChange[]> {
    const changes = source.replace(files, at);
    const names = new Set([...changes.map(({ filename }) => filename), ...source.compiled(compilation)]);
    await this.sources.save(plugin, source, [...names]);
    return changes;
  }

  private originOf({ url, place, privateToken }: PluginAddress) {
    return {
      url,
      // The address is the plugin's for good and no other's, so the token opens nowhere else.
      sealedPrivateToken: privateToken === null ? null : this.vault.seal(privateToken, url),
      type: place.kind === 'folder' ? ('local' as const) : ('custom' as const),
    };
  }

  private addressOf({ url, sealedPrivateToken }: Plugin): PluginAddress | null {
    if (url === null) return null;
    return this.hosts
      .addressOf(url)
      .withPrivateToken(sealedPrivateToken && this.vault.open(sealedPrivateToken, url));
  }
}
