import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { Settings } from '../../config/settings';

type Middleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

/** An answer of the API is data: nothing that a browser might take for a page can load or run anything. */
const NOTHING = {
  defaultSrc: ["'none'"],
  frameAncestors: ["'none'"],
  formAction: ["'none'"],
  baseUri: ["'none'"],
};

/** Swagger UI: its own scripts and the styles that it writes, talking to this server alone. */
const DOCS = {
  ...NOTHING,
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
};

/** What tells a browser how little an answer may do. Pages with needs of their own set their own policy. */
export function securityHeaders({ publicUrl }: Settings): Middleware {
  const headers = (directives: Record<string, string[]>): ReadonlyMap<string, string> =>
    headersOf(
      helmet({
        contentSecurityPolicy: { useDefaults: false, directives },
        // To be promised by those alone who are reached by https.
        strictTransportSecurity: publicUrl?.startsWith('https:') ? { maxAge: 365 * 24 * 3600 } : false,
        xFrameOptions: { action: 'deny' },
      }),
    );
  const [api, docs] = [headers(NOTHING), headers(DOCS)];
  return (request, response, next) => {
    const isDocs = /^\/docs(\/|$)/.test(request.url ?? '');
    for (const [name, value] of isDocs ? docs : api) response.setHeader(name, value);
    next();
  };
}

/** What helmet sets is the same for every answer: it is asked once, and not by a dozen functions for each request. */
function headersOf(middleware: Middleware): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const response = {
    setHeader: (name: string, value: string) => found.set(name, value),
    removeHeader: (name: string) => found.delete(name),
  };
  middleware({} as IncomingMessage, response as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return found;
}
