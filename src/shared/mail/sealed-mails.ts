import type { SealedPlace } from '../secrets/sealed-place';

export const SEALED_MAILS: SealedPlace = {
  kind: 'mails to be sent',
  select: 'SELECT content AS sealed, id::text AS context FROM mails WHERE content IS NOT NULL',
};
