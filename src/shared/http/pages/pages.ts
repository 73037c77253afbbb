import type { ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  applyDecorators,
  type CallHandler,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
  UseFilters,
  UseInterceptors,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import { map, type Observable } from 'rxjs';
import { DomainError } from '../../domain/domain-error';
import { isDatabaseUnavailable } from '../../persistence/database-errors';
import { Public } from '../access';
import type { ApiRequest } from '../api-request';
import { statusOf } from '../error.filter';
import { Throttled, Unavailable } from '../http-errors';
import { html } from './html';
import { documentOf, PAGE_HEADERS, WebPage } from './web-page';

/** Sends the `WebPage` that a controller answers. */
@Injectable()
export class PageInterceptor implements NestInterceptor {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { publicUrl } = http.getRequest<ApiRequest>();
    const response = http.getResponse<ServerResponse>();
    return next.handle().pipe(
      map((answer: unknown) => {
        if (!(answer instanceof WebPage)) return answer;
        for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
        this.adapterHost.httpAdapter.status(response, answer.status);
        return documentOf(answer, publicUrl);
      }),
    );
  }
}

/** Tells people on a page what the API tells programs in the envelope. */
@Catch()
@Injectable()
export class PageFilter implements ExceptionFilter {
  private readonly logger = new Logger(PageFilter.name);

  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const { publicUrl } = host.switchToHttp().getRequest<ApiRequest>();
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const fact = this.factOf(error);
    const page = pageOf(fact);
    for (const [name, value] of Object.entries(PAGE_HEADERS)) response.setHeader(name, value);
    if (fact?.kind === 'unavailable') response.setHeader('Retry-After', '1');
    if (error instanceof Throttled) response.setHeader('Retry-After', String(error.wait));
    this.adapterHost.httpAdapter.reply(response, documentOf(page, publicUrl), page.status);
  }

  private factOf(error: unknown): DomainError | null {
    if (error instanceof DomainError) return error;
    this.logger.error(error);
    return isDatabaseUnavailable(error) ? new Unavailable('The database does not answer.') : null;
  }
}

function pageOf(fact: DomainError | null): WebPage {
  if (fact instanceof Throttled) {
    const wait = `${fact.wait} second${fact.wait === 1 ? '' : 's'}`;
    return new WebPage(429, 'Too many attempts', html`<p>Wait ${wait}, then try again.</p>`);
  }
  if (!fact || statusOf(fact.kind) >= 500) {
    const sorry = html`<p>That is the server's fault, not yours. Nothing was changed. Try again in a minute.</p>`;
    return new WebPage(fact ? statusOf(fact.kind) : 500, 'Something went wrong', sorry);
  }
  return new WebPage(statusOf(fact.kind), 'That did not work', html`<p>${fact.message}</p>`);
}

/** A controller whose answers are pages for people, outside of the API and of its document. */
export const Pages = () =>
  applyDecorators(Public(), ApiExcludeController(), UseInterceptors(PageInterceptor), UseFilters(PageFilter));
