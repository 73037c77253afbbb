import type { SealedPlace } from '../secrets/sealed-place';
import { KEPT_HOURS } from './first-answers';

export const SEALED_ANSWERS: SealedPlace = {
  kind: 'answers to repeatable requests',
  select: `SELECT answer AS sealed, caller || E'\\n' || route || E'\\n' || key AS context FROM idempotency_keys
            WHERE answer IS NOT NULL AND created_at > now() - interval '${KEPT_HOURS} hours'`,
};
