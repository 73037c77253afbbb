import { Injectable } from '@nestjs/common';
import { ActivityLog } from '../activity/index';
import { SecretBox } from '../shared/secrets/secret-box';
import type { ConfigSchema } from './domain/config-schema';
import { SECRET_MASK } from './domain/config-values';
import type { Plugin } from './domain/plugin';
import { settingName } from './domain/plugin-config-errors';
import { PluginConfigRepository } from './persistence/plugin-config.repository';
import { PLUGIN_SCOPE } from './plugin-activity';

/** Hides what was told in the clear before a plugin called it a secret. */
@Injectable()
export class PluginSecretsService {
  constructor(
    private readonly vault: SecretBox,
    private readonly log: ActivityLog,
    private readonly configs: PluginConfigRepository,
  ) {}

  /**
   * To be called in the transaction of whatever changed a plugin's settings, with the plugin locked. Seals the values of
   * those that became secrets in every config, and masks them in the log.
   * @throws SecretUnreadable
   */
  async keep(plugin: Plugin, before: ConfigSchema): Promise<void> {
    const { settings } = plugin;
    const keys = settings.newSecrets(before);
    if (keys.length === 0) return;
    for (;;) {
      const configs = await this.configs.exposing(plugin, keys);
      if (configs.length === 0) break;
      for (const config of configs) config.protect(settings, this.vault);
      await this.configs.save(configs);
    }
    const fields = keys.map(settingName);
    await this.log.redact({ scope: PLUGIN_SCOPE, itemId: String(plugin.id) }, fields, SECRET_MASK);
  }
}
