import type { PluginAddress, PluginPlace } from './plugin-address';

/** What a host says is the newest at an address. */
export interface Newest {
  /** A version, a commit, or the hash of an archive; null where there is no such thing, as in a folder. */
  readonly tag: string | null;
  /** What the host calls this answer, so that it can be asked whether it has changed. */
  readonly etag: string | null;
}

/** A plugin as it was fetched. */
export interface PluginRelease {
  /** As of `Newest`. */
  readonly tag: string | null;
  /** Contents by path, relative to the plugin. */
  readonly files: ReadonlyMap<string, string>;
}

/** Where plugins come from: the npm registry, a git host, a web server, the folder of plugins. */
export abstract class PluginHost<P extends PluginPlace = PluginPlace> {
  /**
   * @param place of the address
   * @param known what it said before; it may then answer the same without looking further
   * @throws NothingAtAddress, PrivateAddress, PluginUnreachable
   */
  abstract newest(address: PluginAddress, place: P, known: Newest | null): Promise<Newest>;

  /**
   * @param place of the address
   * @throws NothingAtAddress, PrivateAddress, PluginUnreachable, UnfitPlugin
   */
  abstract fetch(address: PluginAddress, place: P): Promise<PluginRelease>;
}
