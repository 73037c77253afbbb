import { Invalid } from '../../shared/domain/domain-error';

/** In characters: a key is the caller's own text. */
const LONGEST_KEY = 200;

/** What a setting is called in errors and in the log: `config__apiKey`. */
export const settingName = (key: string): string => `config__${key.slice(0, LONGEST_KEY)}`;

/** One value of a configuration is not what the plugin asks for. */
export class ConfigFieldInvalid extends Invalid {
  constructor(key: string, code: string, detail: string) {
    super(settingName(key), code, detail);
  }
}

/** The plugin asks for no such setting. */
export class ConfigFieldUnknown extends ConfigFieldInvalid {
  constructor(key: string) {
    super(key, 'invalid_input', 'The plugin has no such setting.');
  }
}

/** What is enabled has everything that its plugin requires. */
export class ConfigFieldMissing extends ConfigFieldInvalid {
  constructor(key: string) {
    super(key, 'required', 'This field is required.');
  }
}

/** The mask was sent back for a value that was never given. */
export class NothingToKeep extends ConfigFieldInvalid {
  constructor(key: string) {
    super(key, 'invalid_input', 'The mask stands for a stored value, and none is stored.');
  }
}

/** No such plugin, or none that the organization sees (ERR-18). */
export class PluginUnknown extends Invalid {
  constructor(id: number) {
    super('plugin', 'does_not_exist', `Invalid pk "${id}" - object does not exist.`);
  }
}

/** What is deleted stays disabled until it is restored. */
export class DeletedConfigIsDisabled extends Invalid {
  constructor() {
    super('enabled', 'invalid_input', 'A deleted config cannot be enabled. Set `deleted` to false first.');
  }
}

/** An order was given for a config that the project does not have, or that is deleted. */
export class ConfigToOrderUnknown extends Invalid {
  constructor(id: number) {
    super(`orders__${id}`, 'does_not_exist', `Invalid pk "${id}" - object does not exist.`);
  }
}
