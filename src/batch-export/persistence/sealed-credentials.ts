import type { SealedPlace } from '../../shared/secrets/sealed-place';

export const SEALED_CREDENTIALS: SealedPlace = {
  kind: 'credentials of batch exports',
  select: `SELECT destination_secrets AS sealed, id::text AS context FROM batch_exports
            WHERE destination_secrets IS NOT NULL AND NOT deleted`,
};
