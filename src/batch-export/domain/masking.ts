import type { Config } from './destination-rules';

const LONGEST_TEXT = 2_000;
const MASK = '***';
/** In characters: a line of a longer secret, such as a private key, that is quoted alone. */
const TELLING_LINE = 8;
/** In characters: of shorter secrets, which anybody can guess. */
const SHORT = 6;

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

/** Takes the secrets out of texts of other programs, and what PostgreSQL cannot store. */
export function hiding(secrets: Config): (text: string) => string {
  const forms = [...new Set(textsIn(secrets).flatMap(formsOf))].filter((form) => form !== '');
  // The longest first: one secret may be a part of another.
  const patterns = forms.sort((one, other) => other.length - one.length).map(patternOf);
  return (text) => {
    const masked = patterns.reduce((rest, pattern) => rest.replace(pattern, MASK), text);
    return Buffer.from(masked.replaceAll('\0', '')).toString();
  };
}

/** What is short is in many words by chance, and a secret only where it stands alone. */
function patternOf(form: string): RegExp {
  const escaped = form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const pattern = form.length < SHORT ? `(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])` : escaped;
  return new RegExp(pattern, 'gu');
}

/** At most so many characters; where something is left out, the last one says so. */
export function shortened(text: string, longest: number): string {
  const characters = [...text];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}

/** Makes texts of other programs fit to be kept and shown: as `hiding`, and of at most 2,000 characters. */
export function masking(secrets: Config): (text: string) => string {
  const hide = hiding(secrets);
  return (text) => shortened(hide(text), LONGEST_TEXT);
}
