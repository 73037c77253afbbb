import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BodyTooLarge, Malformed } from '../../shared/http/http-errors';
import type { Place } from './capture-room';

/** The routes that SDKs send events to. */
export const CAPTURE_PATHS = ['/batch', '/capture', '/e', '/i/v0/e'] as const;

/** In bytes: of the body as it is sent, and of what it inflates to (D9). */
export const CAPTURE_LIMIT = 20 * 1024 * 1024;

/** The limit as people read it. */
export const CAPTURE_LIMIT_TEXT = '20 MiB';

/** In bytes: what the smallest of values takes when it is read. */
const VALUE = 64;

/** Of all that a body holds, since the smallest take many times their text in memory. */
const MOST_VALUES = 500_000;
export const MOST_VALUES_TEXT = '500000 values';

const inflate = promisify(gunzip);

/**
 * Reads JSON of any media type, also gzipped, whatever the query or a header says of that: its first bytes tell. Old
 * SDKs send a form with the JSON, or its base64, as `data`.
 * @throws Malformed, BodyTooLarge, and what the place throws
 */
export async function readCaptureBody(body: unknown, mediaType: string, place: Place): Promise<unknown> {
  let sent = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  place.take(sent.length);
  // By the SDK, and by what carries its requests.
  for (let layer = 0; layer < 2 && sent[0] === 0x1f && sent[1] === 0x8b; layer += 1) {
    const packed = sent;
    sent = await place.inflate(() => inflated(packed));
  }
  const json = mediaType.startsWith('application/x-www-form-urlencoded') ? formData(sent) : sent;
  place.take(VALUE * makeReadable(json));
  try {
    return JSON.parse(json.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new Malformed(`JSON parse error - ${error instanceof Error ? error.message : error}`);
  }
}

async function inflated(bytes: Buffer): Promise<Buffer> {
  try {
    return await inflate(bytes, { maxOutputLength: CAPTURE_LIMIT });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLarge(CAPTURE_LIMIT_TEXT);
    throw new Malformed(`The body could not be read: ${message}`);
  }
}

function formData(form: Buffer): Buffer {
  // The other fields are left alone: there may be millions.
  const [field] = /(?<![^&])data=[^&]*/.exec(form.toString('utf8').replace(/^\uFEFF/, '')) ?? [];
  const data = new URLSearchParams(field).get('data') ?? '';
  // A plus sign of base64 that was not escaped stands for a blank in a form.
  return /^\s*[[{]/.test(data) ? Buffer.from(data) : Buffer.from(data.replaceAll(' ', '+'), 'base64');
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE, LETTER_U] = Buffer.from('"\\,[{u');
const REPLACEMENT = Buffer.from('\\ufffd');

/**
 * Puts U+FFFD in place of what PostgreSQL cannot store as text, NUL and half a surrogate pair. In the JSON, where they
 * can only be escapes, and all escapes are of one length: changing what is parsed would take a copy of it.
 * @returns how many values it holds, each of which comes after a comma or the start of a list or object
 * @throws BodyTooLarge when there are too many
 */
function makeReadable(json: Buffer): number {
  let values = 1;
  let isText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) at += makeStorable(json, at) - 1;
    else if (!isText && (byte === COMMA || byte === BRACKET || byte === BRACE)) values += 1;
  }
  if (values > MOST_VALUES) throw new BodyTooLarge(MOST_VALUES_TEXT);
  return values;
}

/** Returns the length of the escape there, or of both that are a pair. */
function makeStorable(json: Buffer, at: number): number {
  if (json[at + 1] !== LETTER_U) return 2;
  const code = codeAt(json, at);
  if (isHigh(code) && isLow(codeAt(json, at + 6))) return 12;
  if (code === 0 || isHigh(code) || isLow(code)) json.set(REPLACEMENT, at);
  return Number.isNaN(code) ? 2 : 6;
}

const isHigh = (code: number): boolean => code >= 0xd800 && code < 0xdc00;
const isLow = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** NaN where there is no such escape. */
function codeAt(json: Buffer, at: number): number {
  if (json[at] !== BACKSLASH || json[at + 1] !== LETTER_U) return Number.NaN;
  let code = 0;
  for (let index = at + 2; index < at + 6; index += 1) code = code * 16 + digitOf(json[index] ?? 0);
  return code;
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}
