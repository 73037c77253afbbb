import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { BodyTooLarge, Malformed } from '../../shared/http/http-errors';

/** The routes that SDKs send events to. */
export const CAPTURE_PATHS = ['/batch', '/capture', '/e', '/i/v0/e'] as const;

/** In bytes: of the body as it is sent, and of what it inflates to (D9). */
export const CAPTURE_LIMIT = 20 * 1024 * 1024;

/** The limit as people read it. */
export const CAPTURE_LIMIT_TEXT = '20 MiB';

export interface CaptureBody {
  readonly json: unknown;
  /** Whether there may be text in it that PostgreSQL cannot store. */
  readonly mayBeUnstorable: boolean;
}

const inflate = promisify(gunzip);

/** How JSON writes NUL, and the halves of what may or may not be a pair. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

/**
 * Reads JSON of any media type, also gzipped, whatever the query or a header says of that: its first bytes tell. Old
 * SDKs send a form with the JSON, or its base64, as `data`.
 * @throws Malformed, BodyTooLarge
 */
export async function readCaptureBody(body: unknown, mediaType: string): Promise<CaptureBody> {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const sent = (isGzip ? await inflated(bytes) : bytes).toString('utf8').replace(/^\uFEFF/, '');
  const text = mediaType.startsWith('application/x-www-form-urlencoded') ? formData(sent) : sent;
  try {
    return { json: JSON.parse(text), mayBeUnstorable: UNSTORABLE.test(text) };
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

function formData(form: string): string {
  const data = new URLSearchParams(form).get('data') ?? '';
  // A plus sign of base64 that was not escaped stands for a blank in a form.
  return /^\s*[[{]/.test(data) ? data : Buffer.from(data.replaceAll(' ', '+'), 'base64').toString('utf8');
}
