import { createHmac, hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const sha256 = (data: string | Buffer): string => hash('sha256', data, 'hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();

/** As AWS escapes, which is stricter than `encodeURIComponent`. */
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

/** What is wrong with the signature (AWS version 4, in the header) of a request; null: nothing. */
export function faultOfSignature(
  request: IncomingMessage,
  body: Buffer,
  keys: Readonly<Record<string, string>>,
): 'AccessDenied' | 'InvalidAccessKeyId' | 'SignatureDoesNotMatch' | 'XAmzContentSHA256Mismatch' | null {
  const [, id = '', scope = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  if (signature === '') return 'AccessDenied';
  const secret = keys[id];
  if (secret === undefined) return 'InvalidAccessKeyId';

  const url = new URL(request.url ?? '', 'http://s3');
  const query = [...url.searchParams].map(([name, value]) => `${escaped(name)}=${escaped(value)}`).sort();
  const signed = names.split(';').map((name) => `${name}:${String(request.headers[name]).trim()}\n`);
  const hash = String(request.headers['x-amz-content-sha256']);
  const path = (request.url ?? '').split('?')[0] ?? '';
  const canonical = [request.method, path, query.join('&'), signed.join(''), names, hash].join('\n');
  const text = ['AWS4-HMAC-SHA256', request.headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>((from, part) => hmac(from, part), `AWS4${secret}`);
  if (hmac(key, text).toString('hex') !== signature) return 'SignatureDoesNotMatch';
  return hash === 'UNSIGNED-PAYLOAD' || hash === sha256(body) ? null : 'XAmzContentSHA256Mismatch';
}
