import type { Json } from './json';

/** Stands for a secret in answers; sent back, for the value that is stored (PLUG-32). */
export const SECRET_MASK = '**************** POSTHOG SECRET FIELD ****************';

/** In characters. */
const LONGEST_TEXT = 100_000;
const LONGEST_FILE_NAME = 255;
const LONGEST_FILE_TYPE = 255;
const LONGEST_CHOICE_SHOWN = 60;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** What is wrong with a value: the code and text of ERR-18. */
export class ValueProblem {
  constructor(
    readonly code: string,
    readonly detail: string,
  ) {}
}

/** A file as a caller sends it, in a body of JSON. */
interface Attachment {
  readonly name: string;
  readonly type: string;
  /** Base64. */
  readonly contents: string;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest;

/** No value at all: absent, null or an empty text. */
export const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** The value under a key that may be any text; null where there is none. */
export const own = (json: Json, key: string): unknown =>
  (Object.hasOwn(json, key) ? json[key] : null) ?? null;

/** How a value of each type of setting is read; another type takes any value as it is. */
const READERS: ReadonlyMap<string, (value: unknown, choices: readonly unknown[]) => unknown> = new Map([
  ['string', readText],
  ['choice', readChoice],
  ['json', readJson],
  ['attachment', readAttachment],
]);

/** @returns the value as it is stored, or what is wrong with it. An empty text is no value, of any type. */
export function readValue(type: string, choices: readonly unknown[], value: unknown): unknown | ValueProblem {
  if (value === '') return value;
  return READERS.get(type)?.(value, choices) ?? value;
}

/** What answers show of a value that is kept sealed. */
export function masked(type: string, secret: boolean, value: unknown): unknown {
  if (isNothing(value)) return value;
  if (type !== 'attachment' || !isObject(value)) return SECRET_MASK;
  if (secret) {
    return { uid: -1, saved: true, size: -1, name: SECRET_MASK, type: 'application/octet-stream' };
  }
  const { name, type: contentType, contents } = value as unknown as Attachment;
  return { uid: -1, saved: true, size: bytesIn(contents), name, type: contentType };
}

/** Whether a value only stands for the one that is stored: the mask, or a file as answers show it. */
export const isMask = (type: string, value: unknown): boolean =>
  value === SECRET_MASK || (type === 'attachment' && isObject(value) && value.saved === true);

/** Whether nothing of the value can be seen. */
export const isHidden = (value: unknown): boolean =>
  isNothing(value) || value === SECRET_MASK || (isObject(value) && value.name === SECRET_MASK);

function readText(value: unknown): unknown {
  if (typeof value !== 'string') return new ValueProblem('invalid_input', 'Not a valid string.');
  if (value.length <= LONGEST_TEXT) return value;
  return new ValueProblem('max_length', `Ensure this field has no more than ${LONGEST_TEXT} characters.`);
}

function readChoice(value: unknown, choices: readonly unknown[]): unknown {
  if (choices.includes(value)) return value;
  const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const short = shown.length > LONGEST_CHOICE_SHOWN ? `${shown.slice(0, LONGEST_CHOICE_SHOWN)}…` : shown;
  return new ValueProblem('invalid_choice', `"${short.toWellFormed()}" is not a valid choice.`);
}

/** A text must be JSON, and stays a text; whatever else came in the body was JSON. */
function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    JSON.parse(value);
    return value;
  } catch {
    return new ValueProblem('invalid_input', 'Value must be valid JSON.');
  }
}

function readAttachment(value: unknown): unknown {
  const { name, type = 'application/octet-stream', contents } = isObject(value) ? value : ({} as Json);
  const isFile =
    isText(name, LONGEST_FILE_NAME) &&
    name !== '' &&
    isText(type, LONGEST_FILE_TYPE) &&
    typeof contents === 'string' &&
    contents.length % 4 === 0 &&
    BASE64.test(contents);
  if (isFile) return { name, type, contents } satisfies Attachment;
  return new ValueProblem(
    'invalid_input',
    'Not a file: send an object with `name`, `contents` in base64, and optionally `type`.',
  );
}

const bytesIn = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
