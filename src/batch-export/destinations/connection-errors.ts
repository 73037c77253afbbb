import { AddressRefused } from '../../shared/net/address-policy';

/** What may pass by itself: the host is down, or cannot be found or reached just now, or the connection was cut. */
const PASSING = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

export const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

/** Of an error that a socket had before or while the other side was spoken to; false for one of TLS. */
export const isPassing = (error: unknown): boolean =>
  !(error instanceof AddressRefused) && PASSING.has(codeOf(error));

/** What an error says; where several addresses were tried, what each said. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error);
  if ('errors' in error && Array.isArray(error.errors))
    return [...new Set(error.errors.map(messageOf))].join('; ');
  return 'message' in error ? String(error.message) : String(error);
}
