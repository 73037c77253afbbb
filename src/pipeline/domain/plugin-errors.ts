import { Forbidden, Invalid } from '../../shared/domain/domain-error';

/** PLUG-12 */
export class NoPluginAddress extends Invalid {
  constructor() {
    super('url', 'invalid_input', 'Must be a GitHub/GitLab repository or a npm package URL!');
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
