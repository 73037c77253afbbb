import { Forbidden } from '../../../shared/domain/domain-error';
import type { ApiRequest } from '../../../shared/http/api-request';

/** The form was sent by a page of another site. */
export class SentByAnotherSite extends Forbidden {
  constructor() {
    super('This was sent by another site. Open the link of your invitation, and accept it there.');
  }
}

/**
 * Refuses forms that another site has a browser send. It could not know the secret in their address, so that this
 * is a second lock. Over plain http, browsers say nothing of where a request comes from but `Origin`, and that is
 * `null` for a page without referrer, as ours are.
 * @throws SentByAnotherSite
 */
export function refuseOtherSites({ headers, publicUrl }: ApiRequest): void {
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  if (site !== undefined) throw new SentByAnotherSite();
  if (origin === undefined || origin === 'null') return;
  // Scheme aside: a proxy that ends TLS may not be trusted to say so.
  if (hostOf(origin) !== hostOf(publicUrl)) throw new SentByAnotherSite();
}

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null);
