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
  const headers = (directives: Record<string, string[]>): Middleware =>
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives },
      // To be promised by those alone who are reached by https.
      strictTransportSecurity: publicUrl?.startsWith('https:') ? { maxAge: 365 * 24 * 3600 } : false,
      xFrameOptions: { action: 'deny' },
    });
  const [api, docs] = [headers(NOTHING), headers(DOCS)];
  return (request, response, next) => {
    const isDocs = /^\/docs(\/|$)/.test(request.url ?? '');
    (isDocs ? docs : api)(request, response, next);
  };
}
