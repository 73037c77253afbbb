import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { ApiRequest } from '../http/api-request';
import { CurrentRequest } from '../request/current-request';
import { FirstAnswers, type KeptAnswer } from './first-answers';
import { IdempotencyKeyMalformed } from './idempotency-errors';

/** The headers that belong to the answer rather than to the moment. */
const KEPT_HEADERS = ['content-type', 'link', 'vary', 'preference-applied'];

/** A POST with an `Idempotency-Key` is done once, however often it is sent. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly answers: FirstAnswers,
    private readonly current: CurrentRequest,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const key = request.headers['idempotency-key'];
    const [path = '', ...query] = request.originalUrl.split('?');
    if (request.method !== 'POST' || key === undefined || !path.startsWith('/api/')) return next.handle();
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) throw new IdempotencyKeyMalformed();
    if (request.bodyFailure) return next.handle();
    const keyId = this.current.get()?.principal?.keyId;
    const name = { caller: keyId ?? 'nobody', route: `POST ${path.toLowerCase()}`, key };
    const content = [JSON.stringify(request.body ?? null), ...query].join('?');
    return from(this.answer(name, content, http.getResponse<ServerResponse>(), next));
  }

  private async answer(
    name: { readonly caller: string; readonly route: string; readonly key: string },
    content: string,
    response: ServerResponse,
    next: CallHandler,
  ): Promise<unknown> {
    const { httpAdapter } = this.adapterHost;
    const { answer, replayed } = await this.answers.once(name, content, async (): Promise<KeptAnswer> => {
      const result: unknown = await lastValueFrom(next.handle());
      return {
        status: response.statusCode,
        headers: kept(response.getHeaders()),
        body: typeof result === 'string' ? result : null,
      };
    });
    if (replayed) {
      httpAdapter.status(response, answer.status);
      for (const [header, value] of Object.entries(answer.headers)) {
        httpAdapter.setHeader(response, header, value);
      }
      httpAdapter.setHeader(response, 'Idempotent-Replayed', 'true');
    }
    return answer.body ?? undefined;
  }
}

const kept = (headers: OutgoingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      KEPT_HEADERS.includes(name) && value !== undefined ? [[name, String(value)]] : [],
    ),
  );
