import { NoPluginAddress } from './plugin-errors';

const SEGMENT = '\\w[\\w.-]*';
const REFERENCE = '[\\w.@+~-][\\w./@+~-]*';

/** The paths that name a plugin, by host (PLUG-12). */
const PATHS: ReadonlyMap<string, RegExp> = new Map([
  ['github.com', new RegExp(`^/${SEGMENT}/${SEGMENT}(/(tree|commit|releases/tag)/${REFERENCE})?/?$`)],
  ['gitlab.com', new RegExp(`^(/${SEGMENT}){2,}(/-/(tree|commit|tags|releases)/${REFERENCE})?/?$`)],
  ['npmjs.com', new RegExp(`^/package/(@${SEGMENT}/)?${SEGMENT}(/v/${REFERENCE})?/?$`)],
]);

/** URL parsers drop or turn these, so that the text would name something else than it seems to. */
const MISLEADING = /[\s\\\p{C}]/u;

/** Where a plugin comes from: a GitHub or GitLab repository or an npm package, at a version or not. */
export class PluginAddress {
  private constructor(
    /** Without the private token and without a slash at the end. */
    readonly url: string,
    /** A secret: what opens a private repository. */
    readonly privateToken: string | null,
  ) {}

  /** The query may hold `private_token` and nothing else. @throws NoPluginAddress */
  static parse(text: string): PluginAddress {
    if (MISLEADING.test(text) || !URL.canParse(text)) throw new NoPluginAddress();
    const { protocol, username, password, host, pathname, searchParams, hash } = new URL(text);
    const parameters = [...searchParams.keys()];
    const path = PATHS.get(host.replace(/^www\./, ''));
    const named =
      protocol === 'https:' &&
      username === '' &&
      password === '' &&
      hash === '' &&
      path?.test(pathname) &&
      parameters.length <= 1 &&
      parameters.every((name) => name === 'private_token');
    if (!named) throw new NoPluginAddress();
    const url = `https://${host}${pathname.replace(/\/$/, '')}`;
    return new PluginAddress(url, searchParams.get('private_token') || null);
  }
}
