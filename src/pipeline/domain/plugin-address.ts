import { NoPluginAddress, NoPluginInFolder } from './plugin-errors';

const SEGMENT = '\\w[\\w.-]*';
const REFERENCE = '[\\w.@+~-][\\w./@+~-]*';

const GITHUB = new RegExp(`^/(${SEGMENT}/${SEGMENT})(?:/(tree|commit|releases/tag)/(${REFERENCE}))?/?$`);
const GITLAB = new RegExp(
  `^/(${SEGMENT}(?:/${SEGMENT})+)(?:/-/(tree|commit|tags|releases)/(${REFERENCE}))?/?$`,
);
const NPM = new RegExp(`^/package/((?:@${SEGMENT}/)?${SEGMENT})(?:/v/(\\w[\\w.+-]*))?/?$`);
const TARBALL = /\.(tgz|tar\.gz)$/;

/** What can be sent in a header. */
const TOKEN = /^[\x21-\x7e]+$/;

/** URL parsers drop or turn these, so that the text would name something else than it seems to. */
const MISLEADING = /[\s\\\p{C}]/u;

export interface NpmPackage {
  readonly kind: 'npm';
  /** Such as `@scope/name`. */
  readonly name: string;
  /** A version or a tag such as `beta`; null: the latest. */
  readonly version: string | null;
}

export interface Repository {
  readonly kind: 'github' | 'gitlab';
  /** Owner, or groups, and name: `PostHog/helloworldplugin`. */
  readonly path: string;
  /**
   * A branch, tag or commit; null: the default branch. With `tree` a folder may follow, and only the host knows where
   * the name of the branch ends.
   */
  readonly at: { readonly text: string; readonly mayNameFolder: boolean } | null;
}

/** What an address names. */
export type PluginPlace =
  | NpmPackage
  | Repository
  | { readonly kind: 'tarball' }
  /** `path` is relative to the folder of plugins. */
  | { readonly kind: 'folder'; readonly path: string };

/** What names places on this server, besides what does so everywhere. */
export interface KnownHosts {
  /** Hosts of GitHub and GitLab, without `www.`. */
  readonly github: readonly string[];
  readonly gitlab: readonly string[];
  /** Absolute path of the folder that `file:` addresses lead to, or null: they lead nowhere. */
  readonly pluginDir: string | null;
}

export const PUBLIC_HOSTS: KnownHosts = { github: ['github.com'], gitlab: ['gitlab.com'], pluginDir: null };

/**
 * Where a plugin comes from: a GitHub or GitLab repository or an npm package, at a version or not, an archive, or a
 * folder of the server.
 */
export class PluginAddress {
  private constructor(
    /** Without the private token and without a slash at the end. */
    readonly url: string,
    readonly place: PluginPlace,
    /** A secret: what opens a private repository, package or archive. */
    readonly privateToken: string | null,
  ) {}

  /** The query may hold `private_token` and nothing else. @throws NoPluginAddress, NoPluginInFolder */
  static parse(text: string, hosts: KnownHosts = PUBLIC_HOSTS): PluginAddress {
    if (MISLEADING.test(text)) throw new NoPluginAddress();
    if (text.startsWith('file:') && hosts.pluginDir !== null) {
      return PluginAddress.ofFolder(text.slice('file:'.length), hosts.pluginDir);
    }
    if (!URL.canParse(text)) throw new NoPluginAddress();
    const { protocol, username, password, host, pathname, searchParams, hash } = new URL(text);
    const parameters = [...searchParams.keys()];
    const place = placeOf(host.replace(/^www\./, ''), pathname, hosts);
    const named =
      protocol === 'https:' &&
      username === '' &&
      password === '' &&
      hash === '' &&
      parameters.length <= 1 &&
      parameters.every((name) => name === 'private_token');
    if (!named || !place) throw new NoPluginAddress();
    const token = searchParams.get('private_token') || null;
    if (token !== null && !TOKEN.test(token)) throw new NoPluginAddress();
    return new PluginAddress(`https://${host}${pathname.replace(/\/$/, '')}`, place, token);
  }

  /** The same with what opens it. */
  withPrivateToken(token: string | null): PluginAddress {
    return new PluginAddress(this.url, this.place, token);
  }

  /** One folder has one address, however it is written: relative to the folder of plugins. */
  private static ofFolder(text: string, pluginDir: string): PluginAddress {
    const given = text.replace(/^\/\/(?=\/)/, '').replace(/\/$/, '');
    const path = given.startsWith(`${pluginDir}/`) ? given.slice(pluginDir.length + 1) : given;
    const leadsElsewhere = path.split('/').some((segment) => ['', '.', '..'].includes(segment));
    if (leadsElsewhere || /[?#]/.test(path)) throw new NoPluginInFolder(given);
    return new PluginAddress(`file:${path}`, { kind: 'folder', path }, null);
  }
}

function placeOf(host: string, path: string, { github, gitlab }: KnownHosts): PluginPlace | null {
  const [, name, version = null] = (host === 'npmjs.com' && NPM.exec(path)) || [];
  if (name !== undefined) return { kind: 'npm', name, version };
  const repository =
    (github.includes(host) && repositoryOf('github', GITHUB.exec(path))) ||
    (gitlab.includes(host) && repositoryOf('gitlab', GITLAB.exec(path)));
  return repository || (TARBALL.test(path) ? { kind: 'tarball' } : null);
}

function repositoryOf(kind: Repository['kind'], match: RegExpExecArray | null): Repository | null {
  const [, path, what, text] = match ?? [];
  if (path === undefined) return null;
  return {
    kind,
    path: path.replace(/\.git$/, ''),
    at: text === undefined ? null : { text: text.replace(/\/$/, ''), mayNameFolder: what === 'tree' },
  };
}
