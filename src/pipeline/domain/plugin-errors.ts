import { DomainError, Forbidden, Invalid } from '../../shared/domain/domain-error';

/** PLUG-12 */
export class NoPluginAddress extends Invalid {
  constructor() {
    super('url', 'invalid_input', 'Must be a GitHub/GitLab repository or a npm package URL!');
  }
}

/** What was fetched from an address is no plugin that can be installed. */
export class UnfitPlugin extends Invalid {
  constructor(detail: string) {
    super('url', 'invalid_input', detail);
  }
}

/** PLUG-12 */
export class NoPluginManifest extends UnfitPlugin {
  constructor() {
    super('Could not find plugin.json in the plugin');
  }
}

/** PLUG-10 */
export class NoPluginInFolder extends UnfitPlugin {
  constructor(path: string) {
    super(`Could not load plugin.json from: ${path}`);
  }
}

/** The host knows nothing at the address, or hides it from those without a token. */
export class NothingAtAddress extends UnfitPlugin {
  constructor(url: string) {
    super(`There is nothing at "${url}", or it needs another private_token.`);
  }
}

/** The address, or where it redirects to, is in a private network. */
export class PrivateAddress extends UnfitPlugin {
  constructor(url: string) {
    super(`"${url}" leads to an address that is not public.`);
  }
}

/** Where a plugin comes from does not answer, or not as it should: 502. */
export class PluginUnreachable extends DomainError {
  constructor(url: string, reason: string) {
    super('bad_gateway', 'source_unavailable', `The plugin at "${url}" could not be fetched: ${reason}.`);
  }
}

/** In this or any other organization (PLUG-11). */
export class PluginAlreadyInstalled extends Invalid {
  constructor(url: string) {
    super('url', 'invalid_input', `Plugin from URL "${url}" already installed!`);
  }
}

/** PLUG-14, PLUG-18 */
export class CannotManageGlobalPlugins extends Forbidden {
  constructor() {
    super("This organization can't manage global plugins!");
  }
}

/** PLUG-17 */
export class ManagedByAnotherOrganization extends Forbidden {
  constructor() {
    super('This plugin installation is managed by another organization');
  }
}

/** PLUG-21 */
export class PluginIsGlobal extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'This plugin is marked as global! Make it local before uninstallation');
  }
}

/** PLUG-26 */
export class SourceEditingNotAvailable extends Forbidden {
  constructor() {
    super('Plugin source editing is not available for the current organization!');
  }
}

/** PLUG-26 */
export class InstallationNotAvailable extends Forbidden {
  constructor() {
    super('Plugin installation is not available for the current organization!');
  }
}
