import { hash } from 'node:crypto';

/** Names the state of a resource: the hash of its representation, as a strong entity tag (RFC 9110, 8.8.3). */
export const entityTagOf = (json: string): string => `"${hash('sha1', json, 'base64url')}"`;

/** Whether a list of tags, or `*`, names one; `W/` tags never do where the comparison must be strong. */
export function namesTag(header: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (header.trim() === '*') return true;
  return [...header.matchAll(/(W\/)?("[^"]*")/g)].some(
    ([, weak, opaque]) => opaque === tag && (comparison === 'weak' || weak === undefined),
  );
}
