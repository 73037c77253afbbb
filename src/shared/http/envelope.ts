import type { NumberedPage, Page, Pieces } from '../domain/representation';
import type { ApiRequest } from './api-request';

/** The list envelope of section 2.1 as JSON text in pieces, with the links of D5. */
export function envelope({ count, results, window, shown }: Page, request: ApiRequest): string[] {
  const { limit, offset } = window;
  const next = offset + shown < count ? link(request, { limit, offset: offset + shown }) : null;
  const previous = offset > 0 ? link(request, { limit, offset: Math.max(0, offset - limit) }) : null;
  return [`{"count":${count},${links(next, previous)},"results":[`, ...separated(results), ']}'];
}

/** The envelope of a list with numbered pages (PLUG-33) as JSON text in pieces. */
export function numberedEnvelope({ count, results, window }: NumberedPage, request: ApiRequest): string[] {
  const { page, limit } = window;
  const next = page * limit < count ? link(request, { limit, page: page + 1 }) : null;
  const previous = page > 1 ? link(request, { limit, page: page - 1 }) : null;
  return ['{"results":[', ...separated(results), `],${links(next, previous)},"total_count":${count}}`];
}

const separated = (pieces: Pieces): string[] =>
  pieces.flatMap((piece, index) => (index === 0 ? piece : [',', piece]));

const links = (next: string | null, previous: string | null): string =>
  `"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)}`;

/** The request's own address with these parameters set and every other one kept. */
function link(request: ApiRequest, window: Readonly<Record<string, number>>): string {
  const [path = ''] = request.originalUrl.split('?', 1);
  const parameters = new URLSearchParams(request.originalUrl.slice(path.length));
  for (const [name, value] of Object.entries(window)) parameters.set(name, String(value));
  parameters.sort();
  return `${request.publicUrl}${path}?${parameters}`;
}
