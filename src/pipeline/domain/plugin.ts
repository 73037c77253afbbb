import { PluginsAccess } from '../../shared/domain/level';
import { ConfigSchema } from './config-schema';
import type { Json } from './json';
import { CannotManageGlobalPlugins, ManagedByAnotherOrganization, PluginIsGlobal } from './plugin-errors';
import type { PluginFamily, PluginShelf } from './plugin-family';
import type { Newest } from './plugin-host';

/** PLUG-06 */
export const PLUGIN_TYPES = ['local', 'custom', 'repository', 'source', 'inline'] as const;
export type PluginType = (typeof PLUGIN_TYPES)[number];

export type { Json };

/** What a caller may set; absent fields stay as they are. */
export interface PluginDetails {
  readonly pluginType?: PluginType | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly icon?: string | null;
  readonly configSchema?: Json | Json[] | null;
  readonly tag?: string | null;
  readonly isGlobal?: boolean;
  readonly capabilities?: Json | null;
  readonly metrics?: Json | null;
  readonly publicJobs?: Json | null;
}

/** What `plugin.json` says about the plugin that it comes with (PLUG-24). */
export type PluginManifest = Pick<PluginDetails, 'name' | 'configSchema'>;

/** Where a plugin comes from; a sealed token is one that only `SECRET_KEY` opens. */
export interface PluginOrigin {
  readonly url: string;
  readonly sealedPrivateToken: Buffer | null;
  readonly type: 'custom' | 'local';
}

/** What `plugin.json` says about the plugin that it was fetched with; what is absent it leaves open (PLUG-09). */
export type ReleaseManifest = Pick<PluginDetails, 'name' | 'description' | 'icon'> &
  Required<Pick<PluginDetails, 'configSchema' | 'publicJobs'>>;

/** In milliseconds: for how long what a host said is the newest is not asked again. */
const NEWEST_IS_FRESH = 30 * 60_000;

/** An extension of the pipeline, installed by one organization, and open to all when it is global. */
export class Plugin {
  readonly id!: number;
  readonly organizationId: string;
  readonly family: PluginFamily;
  /** Never changes (PLUG-19). */
  readonly url: string | null;
  readonly sealedPrivateToken: Buffer | null;
  private latestTag: string | null = null;
  /** What the host calls its answer about the latest tag. */
  private latestEtag: string | null = null;
  private latestCheckedAt: Date | null = null;
  private fetchedAt: Date | null = null;
  private pluginType: PluginType | null = null;
  private name: string | null = null;
  private description: string | null = null;
  private icon: string | null = null;
  private configSchema: Json | Json[] | null = {};
  private tag: string | null = null;
  private isGlobal = false;
  private capabilities: Json | null = {};
  private metrics: Json | null = {};
  private publicJobs: Json | null = {};
  private updatedAt: Date;

  private constructor(
    { organizationId, family }: PluginShelf,
    origin: PluginOrigin | null,
    private readonly createdAt: Date,
  ) {
    this.organizationId = organizationId;
    this.family = family;
    this.url = origin?.url ?? null;
    this.sealedPrivateToken = origin?.sealedPrivateToken ?? null;
    this.updatedAt = createdAt;
  }

  /**
   * One that comes from an address is `custom`, of a folder `local`, unless it is of a repository (PLUG-09, PLUG-10).
   * @throws CannotManageGlobalPlugins for a global one, below root access (PLUG-14).
   */
  static install(shelf: PluginShelf, details: PluginDetails, origin: PluginOrigin | null, at: Date): Plugin {
    Plugin.requireInstallable(shelf, details);
    const plugin = new Plugin(shelf, origin, at);
    plugin.set(details, at);
    if (origin && plugin.pluginType !== 'repository') plugin.pluginType = origin.type;
    return plugin;
  }

  /** @throws CannotManageGlobalPlugins */
  static requireInstallable(shelf: PluginShelf, { isGlobal }: PluginDetails): void {
    if (isGlobal) requireRoot(shelf);
  }

  get title(): string | null {
    return this.name;
  }

  /** The settings that it asks for. */
  get settings(): ConfigSchema {
    return ConfigSchema.of(this.configSchema);
  }

  /** Only the organization that installed it may change it, even when all may use it. @throws ManagedByAnotherOrganization */
  requireManagedBy(organizationId: string): void {
    if (this.organizationId !== organizationId) throw new ManagedByAnotherOrganization();
  }

  /**
   * To name `isGlobal` at all is to manage global plugins (PLUG-18).
   * @throws ManagedByAnotherOrganization, CannotManageGlobalPlugins
   */
  change(shelf: PluginShelf, details: PluginDetails, at: Date): void {
    this.requireManagedBy(shelf.organizationId);
    if (details.isGlobal !== undefined) requireRoot(shelf);
    this.set(details, at);
  }

  /**
   * Whoever replaces a plugin sends all of it back, so an `isGlobal` that stays as it is manages nothing (D4).
   * @throws ManagedByAnotherOrganization, CannotManageGlobalPlugins
   */
  replace(shelf: PluginShelf, details: PluginDetails, at: Date): void {
    const { isGlobal, ...others } = details;
    this.change(shelf, isGlobal === this.isGlobal ? others : details, at);
  }

  /** @throws ManagedByAnotherOrganization, PluginIsGlobal */
  requireUninstallable(organizationId: string): void {
    this.requireManagedBy(organizationId);
    if (this.isGlobal) throw new PluginIsGlobal();
  }

  /** Takes over what its own source says about it (PLUG-24). Hide what becomes a secret: `PluginSecretsService`. */
  describe({ name, configSchema }: PluginManifest, at: Date): void {
    this.set({ name, configSchema }, at);
  }

  /** Its code was edited, so that it can do something else. */
  learn(capabilities: Json, at: Date): void {
    this.set({ capabilities }, at);
  }

  /**
   * Becomes what was fetched from its address: the newest there is. The rest of what callers set stays.
   * @param tag its version, or null when it has none
   */
  renew(tag: string | null, manifest: ReleaseManifest, capabilities: Json, at: Date): void {
    this.set({ ...manifest, tag, capabilities }, at);
    this.latestTag = tag;
    this.latestEtag = null;
    this.latestCheckedAt = null;
    this.fetchedAt = at;
  }

  /** Whether it is the same that was fetched: of two fetches at once, the second to end finds that it is not. */
  isFetchOf(earlier: Plugin): boolean {
    return this.fetchedAt?.getTime() === earlier.fetchedAt?.getTime();
  }

  /** What its host last said is the newest. */
  get newest(): Newest {
    return { tag: this.latestTag, etag: this.latestEtag };
  }

  /** Whether its host need not be asked again yet: for half an hour. */
  knowsNewest(at: Date): boolean {
    const age = at.getTime() - (this.latestCheckedAt?.getTime() ?? Number.NEGATIVE_INFINITY);
    return age >= 0 && age < NEWEST_IS_FRESH;
  }

  noteNewest({ tag, etag }: Newest, at: Date): void {
    this.latestTag = tag;
    this.latestEtag = etag;
    this.latestCheckedAt = at;
  }

  private set(details: PluginDetails, at: Date): void {
    if (details.pluginType !== undefined) this.pluginType = details.pluginType;
    if (details.name !== undefined) this.name = details.name;
    if (details.description !== undefined) this.description = details.description;
    if (details.icon !== undefined) this.icon = details.icon;
    if (details.configSchema !== undefined) this.configSchema = details.configSchema;
    if (details.tag !== undefined) this.tag = details.tag;
    this.isGlobal = details.isGlobal ?? this.isGlobal;
    if (details.capabilities !== undefined) this.capabilities = details.capabilities;
    if (details.metrics !== undefined) this.metrics = details.metrics;
    if (details.publicJobs !== undefined) this.publicJobs = details.publicJobs;
    this.updatedAt = at;
  }
}

function requireRoot({ access }: PluginShelf): void {
  if (access < PluginsAccess.Root) throw new CannotManageGlobalPlugins();
}
