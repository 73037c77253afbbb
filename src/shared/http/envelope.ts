import type { Page } from '../domain/representation';
import type { ApiRequest } from './api-request';

/** The list envelope of section 2.1 as JSON text, with the links of D5. */
export function envelope({ count, results, window }: Page, request: ApiRequest): string {
  const { limit, offset } = window;
  const next = offset + limit < count ? link(request, limit, offset + limit) : null;
  const previous = offset > 0 ? link(request, limit, Math.max(0, offset - limit)) : null;
  return `{"count":${count},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":${results}}`;
}

function link(request: ApiRequest, limit: number, offset: number): string {
  const [path, query] = request.originalUrl.split('?', 2);
  const parameters = new URLSearchParams(query);
  parameters.set('limit', String(limit));
  parameters.set('offset', String(offset));
  parameters.sort();
  return `${request.publicUrl}${path}?${parameters}`;
}
