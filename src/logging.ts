import { randomUUID } from 'node:crypto';
import { RequestMethod } from '@nestjs/common';
import type { Params } from 'nestjs-pino';
import type { Settings } from './config/settings';

/** Request ids that a proxy may hand on; anything else is replaced. */
const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** One line for each request, without headers, bodies or query: they may carry secrets. */
export function loggerParams(settings: Settings): Params {
  return {
    forRoutes: [{ path: '{*path}', method: RequestMethod.ALL }],
    pinoHttp: {
      level: settings.logLevel,
      ...(settings.logFormat === 'pretty'
        ? { transport: { target: 'pino-pretty', options: { singleLine: true, ignore: 'pid,hostname' } } }
        : {}),
      genReqId: (request, response) => {
        const given = request.headers['x-request-id'];
        const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
        response.setHeader('X-Request-Id', id);
        return id;
      },
      serializers: {
        req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
          id,
          method,
          path: url.replace(/\?.*$/s, ''),
        }),
        res: ({ statusCode }: { statusCode: number }) => ({ status: statusCode }),
      },
      autoLogging: { ignore: (request) => ['/_livez', '/_readyz', '/metrics'].includes(request.url ?? '') },
    },
  };
}
