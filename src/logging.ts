import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import { stdSerializers } from 'pino';
import type { Settings } from './config/settings';
import { currentRequest, type RequestFacts } from './shared/request/current-request';

/** Request ids that a proxy may hand on; anything else is replaced. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The id that a proxy gave a request, or a new one. */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** The secret of an invite is a part of its path (D23), with and without `/api`; what follows may be it as well. */
const SIGNUP_SECRET = /(\/signup\/+)[^/].*?(\/?)$/is;

/**
 * What is logged, and of a request without headers, bodies or query: they may carry secrets. `RequestLog` writes a line
 * for each request; nestjs-pino, which would put a logger and a context of its own around it, is Nest's logger alone.
 */
export function loggerParams(settings: Settings): Params {
  return {
    useExisting: true,
    forRoutes: [],
    pinoHttp: {
      level: settings.logLevel,
      ...(settings.logFormat === 'pretty'
        ? { transport: { target: 'pino-pretty', options: { singleLine: true, ignore: 'pid,hostname' } } }
        : {}),
      serializers: {
        req: ({ id, method, originalUrl }: RequestFacts) => ({
          id,
          method,
          path: originalUrl.replace(/\?.*$/s, '').replace(SIGNUP_SECRET, '$1...$2'),
        }),
        // Errors of the database carry statements, parameters and rows; a log gets what happened, not the data.
        err: (error: Error & { code?: unknown }) => {
          // Those of its causes as well.
          const { message, stack } = stdSerializers.err(error);
          return { type: error.name, message, stack, code: error.code };
        },
        // None where the caller went before it was sent.
        res: ({ headersSent, statusCode }: ServerResponse) => ({ status: headersSent ? statusCode : null }),
      },
      // Whatever is logged while a request is answered tells which.
      mixin: () => {
        const req = currentRequest();
        return req ? { req } : {};
      },
    },
  };
}
