import type { Config } from './destination-rules';

const LONGEST_TEXT = 2_000;
const MASK = '***';
/** In characters: a line of a longer secret, such as a private key, that is quoted alone. */
const TELLING_LINE = 8;

/** Every text in a configuration, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A secret as it may stand in what others say of it. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= TELLING_LINE);
  return [
    secret,
    secret.trim(),
    ...lines,
    encodeURIComponent(bytes.toString()),
    new URLSearchParams([['', secret]]).toString().slice(1),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
}

/**
 * Makes texts of other programs fit to be kept and shown: without the secrets, of at most 2,000 characters, and
 * without what PostgreSQL cannot store.
 */
export function masking(secrets: Config): (text: string) => string {
  const forms = [...new Set(textsIn(secrets).flatMap(formsOf))].filter((form) => form !== '');
  // The longest first: one secret may be a part of another.
  forms.sort((one, other) => other.length - one.length);
  return (text) => {
    const masked = forms.reduce((rest, form) => rest.replaceAll(form, MASK), text);
    const characters = [...Buffer.from(masked.replaceAll('\0', '')).toString()];
    return characters.length <= LONGEST_TEXT
      ? characters.join('')
      : `${characters.slice(0, LONGEST_TEXT - 1).join('')}…`;
  };
}
