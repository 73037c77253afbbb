import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  Injectable,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { DomainError, type ErrorKind, NotFound } from '../domain/domain-error';
import { isDatabaseUnavailable } from '../persistence/database-errors';
import type { ApiRequest } from './api-request';
import { Throttled, Unavailable } from './http-errors';
import { RouteTable } from './route-table';

/** The error body (ERR-01, D8): exactly these four. */
export interface ErrorEnvelope {
  readonly type:
    | 'authentication_error'
    | 'validation_error'
    | 'invalid_request'
    | 'throttled_error'
    | 'server_error';
  readonly code: string;
  readonly detail: string;
  readonly attr: string | null;
}

/** Status and `type` of every kind of error (ERR-02). */
const ANSWERS: Record<ErrorKind, { status: number; type: ErrorEnvelope['type'] }> = {
  malformed: { status: 400, type: 'invalid_request' },
  invalid: { status: 400, type: 'validation_error' },
  unauthenticated: { status: 401, type: 'authentication_error' },
  forbidden: { status: 403, type: 'authentication_error' },
  not_found: { status: 404, type: 'invalid_request' },
  method_not_allowed: { status: 405, type: 'invalid_request' },
  conflict: { status: 409, type: 'invalid_request' },
  precondition_failed: { status: 412, type: 'invalid_request' },
  too_large: { status: 413, type: 'invalid_request' },
  unsupported_media_type: { status: 415, type: 'invalid_request' },
  unprocessable: { status: 422, type: 'invalid_request' },
  throttled: { status: 429, type: 'throttled_error' },
  bad_gateway: { status: 502, type: 'server_error' },
  unavailable: { status: 503, type: 'server_error' },
};

/** The status of an answer that tells this kind of error. */
export const statusOf = (kind: ErrorKind): number => ANSWERS[kind].status;

/** Turns every error into the envelope. What nobody foresaw is logged and answers an opaque 500 (ERR-08). */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly routes: RouteTable,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<ApiRequest>();
    const response = host.switchToHttp().getResponse<object>();
    const { httpAdapter } = this.adapterHost;
    if (httpAdapter.isHeadersSent(response)) {
      this.logger.error(error);
      httpAdapter.end(response);
      return;
    }
    const fact = this.factOf(error, request);
    if (fact?.kind === 'unauthenticated') httpAdapter.setHeader(response, 'WWW-Authenticate', 'Bearer');
    if (fact?.kind === 'method_not_allowed') {
      httpAdapter.setHeader(response, 'Allow', this.routes.allowed(request.originalUrl).join(', '));
    }
    if (fact?.kind === 'unavailable') httpAdapter.setHeader(response, 'Retry-After', '1');
    if (fact instanceof Throttled) httpAdapter.setHeader(response, 'Retry-After', String(fact.wait));
    httpAdapter.setHeader(response, 'Content-Type', 'application/json; charset=utf-8');
    httpAdapter.reply(response, envelopeOf(fact), fact ? statusOf(fact.kind) : 500);
  }

  private factOf(error: unknown, request: ApiRequest): DomainError | null {
    if (error instanceof DomainError) return error;
    // Ours throw NotFound; Nest's own means that no route took the request.
    if (error instanceof NotFoundException) return this.routes.refusal(request.method, request.originalUrl);
    // Nest's name for a path whose percent-encoding is broken: it names nothing.
    if (error instanceof BadRequestException) return new NotFound();
    if (isDatabaseUnavailable(error)) {
      // Of every request while it lasts, so without the stack.
      this.logger.error(`The database does not answer: ${(error as Error).message}`);
      return new Unavailable('The database does not answer.');
    }
    this.logger.error(error);
    return null;
  }
}

function envelopeOf(fact: DomainError | null): ErrorEnvelope {
  if (!fact) return { type: 'server_error', code: 'error', detail: 'A server error occurred.', attr: null };
  return { type: ANSWERS[fact.kind].type, code: fact.code, detail: fact.message, attr: fact.attr };
}
