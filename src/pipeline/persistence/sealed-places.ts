import type { SealedPlace } from '../../shared/secrets/sealed-place';

/** Bound to the plugin's address. */
export const SEALED_TOKENS: SealedPlace = {
  kind: 'private tokens of plugins',
  select: `SELECT sealed_private_token AS sealed, url AS context FROM plugins
            WHERE sealed_private_token IS NOT NULL`,
};

export const SEALED_VALUES: SealedPlace = {
  kind: 'secret settings of plugins',
  select: `SELECT sealed_values AS sealed, 'plugin config ' || id AS context FROM plugin_configs
            WHERE sealed_values IS NOT NULL`,
};
