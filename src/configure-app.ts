import { Readable } from 'node:stream';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response } from 'express';
import { Settings } from './config/settings';
import { CAPTURE_LIMIT, CAPTURE_LIMIT_TEXT, CAPTURE_PATHS } from './event/index';
import type { HttpAdapter } from './http-adapter';
import { requestId } from './logging';
import { SIGN_UP_PAGE } from './membership/index';
import { Answers } from './shared/http/answers';
import { type ApiRequest, isOfApi } from './shared/http/api-request';
import { Readiness } from './shared/http/health.controller';
import { BodyTooLarge, Malformed, UnsupportedMediaType } from './shared/http/http-errors';
import { Metrics } from './shared/http/metrics';
import { createDocument } from './shared/http/openapi/document';
import { OpenApiText } from './shared/http/openapi/schema.controller';
import { documentOf, PAGE_HEADERS } from './shared/http/pages/web-page';
import { welcomePage } from './shared/http/pages/welcome.page';
import { PROBES, RequestLog } from './shared/http/request-log';
import { RouteTable } from './shared/http/route-table';
import { securityHeaders } from './shared/http/security-headers';
import { CurrentRequest } from './shared/request/current-request';

/** In bytes: a body of JSON (D9). */
const BODY_LIMIT = 1024 * 1024;

/** A name or address with an optional port: it goes into links, where nothing else may stand. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])?(:\d+)?$/i;

/**
 * All that the server and the tests must both apply. The only file that knows Express. The application is
 * initialised when this ends.
 */
export async function configureApp(app: NestExpressApplication): Promise<void> {
  const settings = app.get(Settings);
  const routes = app.get(RouteTable);
  const readiness = app.get(Readiness);
  app.disable('x-powered-by');
  app.use(securityHeaders(settings));
  app.use(letWebPagesCapture);
  if (settings.corsOrigins.length > 0) allowOrigins(app, settings.corsOrigins);
  app.set('etag', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', settings.trustProxy);

  app.use(observe(app.get(Metrics), app.get(RequestLog)));
  app.use((request: Request, response: Response, next: NextFunction) => {
    request.url = request.originalUrl = pathOf(request.originalUrl);
    const publicUrl = settings.publicUrl ?? `${request.protocol}://${request.host ?? 'localhost'}`;
    const id = requestId(request.headers);
    Object.assign(request, { publicUrl, id, address: request.ip ?? '' } satisfies Partial<ApiRequest>);
    response.set('X-Request-Id', id);
    if (readiness.draining) response.set('Connection', 'close');
    next(HOST.test(request.host ?? '') ? undefined : new Malformed('The Host header names no host.'));
  });
  if (settings.role === 'worker') app.use(answerNothingButHealth);
  const prefix = settings.publicUrl === null ? '' : new URL(settings.publicUrl).pathname.replace(/\/$/, '');
  app.use(welcomePeople);
  app.use(addTrailingSlash(routes, prefix));
  app.use(readBody, rememberBodyFailure);
  const current = app.get(CurrentRequest);
  app.use((request: Request, _response: Response, next: NextFunction) => {
    current.run(request as unknown as ApiRequest, next);
  });

  const adapter = app.getHttpAdapter() as unknown as HttpAdapter;
  adapter.renderWith(app.get(Answers));
  adapter.groupRoutes();
  const document = app.get(OpenApiText);
  document.madeBy(() => JSON.stringify(createDocument(app, prefix)));
  mountDocs(app, document);
  // The routes of the controllers are registered by this.
  await app.init();
}

/** Lets the pages of these origins call the API with a key, and read the headers that matter to a caller. */
function allowOrigins(app: NestExpressApplication, origins: readonly string[]): void {
  app.enableCors({
    origin: origins.includes('*') ? '*' : [...origins],
    exposedHeaders: [
      'ETag',
      'Link',
      'Idempotent-Replayed',
      'Preference-Applied',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Retry-After',
      'X-Request-Id',
    ],
    maxAge: 7200,
  });
}

/** Tells the metrics and the log of every answer that is over; nothing is done for them before. */
function observe(metrics: Metrics, log: RequestLog) {
  return (request: Request, response: Response, next: NextFunction) => {
    const start = performance.now();
    let failure: Error | undefined;
    // Unheard, it would end the process.
    response.on('error', (error) => {
      failure = error;
    });
    // Follows `finish`, and comes alone where the caller is gone.
    response.on('close', () => {
      const milliseconds = performance.now() - start;
      if (response.writableFinished) {
        const route = request.route?.path ?? 'none';
        metrics.observe(request.method, route, response.statusCode, milliseconds / 1000);
      }
      log.write(request as unknown as ApiRequest, response, milliseconds, failure);
    });
    next();
  };
}

/** A worker has no callers; a load balancer that sends it some by mistake is told where they belong. */
function answerNothingButHealth(request: Request, response: Response, next: NextFunction) {
  if (PROBES.includes(request.path)) return next();
  response.status(404).json({
    type: 'invalid_request',
    code: 'not_found',
    detail: 'This process executes jobs (ROLE=worker); requests are answered by one of ROLE=api or all.',
    attr: null,
  });
}

/** Who opens the server's address in a browser is told what it is; to programs it is an unknown path. */
function welcomePeople(request: Request, response: Response, next: NextFunction) {
  const isAsked = /\btext\/html\b/i.test(request.get('accept') ?? '');
  if (request.path !== '/' || !['GET', 'HEAD'].includes(request.method) || !isAsked) return next();
  const { publicUrl } = request as unknown as ApiRequest;
  response
    .set(PAGE_HEADERS)
    .set('Vary', 'Accept')
    .send(documentOf(welcomePage(publicUrl), publicUrl));
}

/** A request may name its target with scheme and host (RFC 9112, 3.2.2); what follows knows paths alone. */
const pathOf = (target: string): string =>
  target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*\/?/i, '/');

/**
 * `/api/x` is told to come as `/api/x/`, query kept (D3); an unknown path falls through to its 404. Host and scheme
 * are left as the caller has them, so that clients go on sending their key.
 */
function addTrailingSlash(routes: RouteTable, prefix: string) {
  return (request: Request, response: Response, next: NextFunction) => {
    const [path = ''] = request.originalUrl.split('?', 1);
    if (path.endsWith('/') || !isOfApi(path)) return next();
    if (!routes.knows(path)) return next();
    response.redirect(308, `${prefix}${path}/${request.originalUrl.slice(path.length)}`);
  };
}

const isCapture = ({ path }: Request): boolean =>
  CAPTURE_PATHS.some((known) => known === path.toLowerCase().replace(/\/$/, ''));

/** Web pages send events from any origin: a token is no secret, and no cookie counts. */
function letWebPagesCapture(request: Request, response: Response, next: NextFunction): void {
  if (isCapture(request)) response.set('Access-Control-Allow-Origin', '*');
  if (!isCapture(request) || request.method !== 'OPTIONS') {
    next();
    return;
  }
  response.set({
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
  });
  response.status(204).end();
}

const FORM = 'application/x-www-form-urlencoded';
const FORM_LIMIT = 16 * 1024;
const isForm = ({ path }: Request): boolean => SIGN_UP_PAGE.test(path);
const parseForm = express.urlencoded({ extended: false, limit: FORM_LIMIT, parameterLimit: 20, type: FORM });

const parseJson = express.json({ limit: BODY_LIMIT, strict: false, type: () => true });
const readJson = express.raw({ limit: BODY_LIMIT, type: () => true });

/** In bytes: a body that is parsed in less time than it takes to look up a key. */
const SMALL = 16 * 1024;

/** Captured events are JSON whatever their media type says, and may be gzipped twice: `readCaptureBody`. */
const readBytes = express.raw({ limit: CAPTURE_LIMIT, type: () => true });

/** As they come: what they inflate to is not to be in memory before there is room for it. */
function readCapture(request: Request, response: Response, next: NextFunction): void {
  if (/^gzip$/i.test(request.headers['content-encoding'] ?? '')) delete request.headers['content-encoding'];
  readBytes(request, response, next);
}

/** Reads the body of a request that may have one; a body on GET or DELETE is left alone (D9). */
function readBody(request: Request, response: Response, next: NextFunction): void {
  if (!['POST', 'PUT', 'PATCH'].includes(request.method) || !hasBody(request)) next();
  else if (isCapture(request)) readCapture(request, response, next);
  else if (isForm(request) && request.is(FORM)) parseForm(request, response, next);
  else if (isForm(request) || !request.is('application/json'))
    next(new UnsupportedMediaType(request.get('content-type') ?? ''));
  else if (isSmall(request)) parseJson(request, response, next);
  else readForLater(request, response, next);
}

const isSmall = ({ headers }: Request): boolean =>
  headers['content-encoding'] === undefined && Number(headers['content-length'] ?? Infinity) <= SMALL;

/** Reads the bytes as they come; they are inflated and parsed after the guards, and so for no stranger. */
function readForLater(request: Request, response: Response, next: NextFunction): void {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  // What the reader looks at before it begins: it is not to inflate them.
  delete headers['content-encoding'];
  readJson(request, response, (error?: unknown) => {
    const parseBody = () =>
      new Promise<void>((resolve) => {
        const bytes = Object.assign(Readable.from([request.body as Buffer]), { headers, body: undefined });
        parseJson(bytes as unknown as Request, response, (failure?: unknown) => {
          request.body = bytes.body;
          if (failure) rememberBodyFailure(failure, request, response, () => resolve());
          else resolve();
        });
      });
    if (!error) Object.assign(request, { parseBody } satisfies Partial<ApiRequest>);
    next(error);
  });
  if (encoding !== undefined) headers['content-encoding'] = encoding;
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;

/** Keeps the failure of host or body for after the guards (D13); see `BodyGuard`. */
const rememberBodyFailure: ErrorRequestHandler = (error, request, _response, next) => {
  const limit = isCapture(request) ? CAPTURE_LIMIT_TEXT : isForm(request) ? '16 KiB' : '1 MiB';
  const type = isForm(request) ? FORM : 'application/json';
  Object.assign(request, { bodyFailure: bodyFailureOf(error, limit, type) } satisfies Partial<ApiRequest>);
  next();
};

function bodyFailureOf(
  error: { status?: number; type?: string; message?: string; charset?: string; encoding?: string },
  limit: string,
  mediaType: string,
): unknown {
  switch (error.type) {
    case 'entity.parse.failed':
      return new Malformed(`JSON parse error - ${error.message}`);
    case 'entity.too.large':
    case 'parameters.too.many':
      return new BodyTooLarge(limit);
    case 'charset.unsupported':
      return new UnsupportedMediaType(`${mediaType}; charset=${error.charset}`);
    case 'encoding.unsupported':
      return new UnsupportedMediaType(`${mediaType}, encoded as ${error.encoding}`);
    default:
      // The rest of the reader's own refusals: cut off, or compressed in another way than it says.
      return error.status === 400 ? new Malformed(`The body could not be read: ${error.message}`) : error;
  }
}

/** Swagger UI at `/docs/`; mounted before `init`, behind which every other path is unknown. */
function mountDocs(app: NestExpressApplication, document: OpenApiText): void {
  SwaggerModule.setup('docs', app, () => JSON.parse(document.json) as OpenAPIObject, {
    raw: false,
    customSiteTitle: 'Hedgerow API',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, docExpansion: 'none' },
  });
}
