import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { RequestMethod } from '@nestjs/common';
import type { Params } from 'nestjs-pino';
import type { Settings } from './config/settings';

/** Request ids that a proxy may hand on; anything else is replaced. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** The id that a proxy gave a request, or a new one. */
export function requestId(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** The secret of an invite is a part of its path (D23), with and without `/api`; what follows may be it as well. */
const SIGNUP_SECRET = /(\/signup\/+)[^/].*?(\/?)$/is;

/** One line for each request under its id, without headers, bodies or query: they may carry secrets. */
export function loggerParams(settings: Settings): Params {
  return {
    forRoutes: [{ path: '{*path}', method: RequestMethod.ALL }],
    pinoHttp: {
      level: settings.logLevel,
      ...(settings.logFormat === 'pretty'
        ? { transport: { target: 'pino-pretty', options: { singleLine: true, ignore: 'pid,hostname' } } }
        : {}),
      serializers: {
        req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
          id,
          method,
          path: url.replace(/\?.*$/s, '').replace(SIGNUP_SECRET, '$1...$2'),
        }),
        // Errors of the database carry statements, parameters and rows; a log gets what happened, not the data.
        err: ({ name, message, stack, code }: Error & { code?: unknown }) => ({
          type: name,
          message,
          stack,
          code,
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
      },
      autoLogging: { ignore: (request) => ['/_livez', '/_readyz', '/metrics'].includes(request.url ?? '') },
    },
  };
}
