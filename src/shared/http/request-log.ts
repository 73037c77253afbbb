import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Logger } from 'pino';
import type { ApiRequest } from './api-request';

/** What supervisors ask for every few seconds: no line for those. */
export const PROBES = ['/_livez', '/_readyz', '/metrics'];

/** One line for each request: how it was answered, or that its caller went before. `loggerParams` has what is told. */
@Injectable()
export class RequestLog {
  private readonly log: Logger;

  constructor({ logger }: PinoLogger) {
    this.log = logger;
  }

  /** Takes a request whose answer is over, `responseTime` milliseconds after it came, and why it was cut off. */
  write(request: ApiRequest, response: ServerResponse, responseTime: number, failure?: Error): void {
    if (!this.log.isLevelEnabled('info') || PROBES.includes(request.originalUrl)) return;
    const answered = { req: request, res: response };
    const time = { responseTime: Math.round(responseTime) };
    if (failure || response.statusCode >= 500) {
      const err = failure ?? new Error(`failed with status code ${response.statusCode}`);
      this.log.info({ ...answered, err, ...time }, 'request errored');
    } else {
      const text = response.writableEnded ? 'request completed' : 'request aborted';
      this.log.info({ ...answered, ...time }, text);
    }
  }
}
