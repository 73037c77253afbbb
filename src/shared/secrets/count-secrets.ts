import type { Client } from 'pg';
import type { SealedPlace } from './sealed-place';
import type { SecretBox } from './secret-box';

/** How many secrets are held in memory at once. */
const AT_ONCE = 500;

export interface SecretCount {
  readonly kind: string;
  readonly total: number;
  /** Of these, how many no key of `SECRET_KEY` opens. */
  readonly unreadable: number;
}

/** Tries to open every secret of a place. Nothing of what it opens leaves this function. */
export async function countSecrets(
  client: Client,
  box: SecretBox,
  { kind, select }: SealedPlace,
): Promise<SecretCount> {
  let total = 0;
  let unreadable = 0;
  await client.query(`BEGIN READ ONLY; DECLARE secrets CURSOR FOR ${select}`);
  try {
    for (;;) {
      const { rows } = await client.query<{ sealed: Buffer; context: string }>(
        `FETCH ${AT_ONCE} FROM secrets`,
      );
      if (rows.length === 0) break;
      total += rows.length;
      unreadable += rows.filter(({ sealed, context }) => !opens(box, sealed, context)).length;
    }
  } finally {
    await client.query('ROLLBACK');
  }
  return { kind, total, unreadable };
}

function opens(box: SecretBox, sealed: Buffer, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch {
    // Sealed with another key, or damaged: whatever is said about it may stay here.
    return false;
  }
}
