import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { Answers, isText } from '../http/answers';
import type { ApiRequest } from '../http/api-request';
import { CurrentRequest } from '../request/current-request';
import { FirstAnswers, type KeptAnswer } from './first-answers';
import { IdempotencyKeyMalformed } from './idempotency-errors';

/** The headers that belong to the answer rather than to the moment. */
const KEPT_HEADERS = ['content-type', 'link', 'vary', 'preference-applied'];

/** Of `Post`: with an `Idempotency-Key` it is done once, however often it is sent. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly first: FirstAnswers,
    private readonly current: CurrentRequest,
    private readonly answers: Answers,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) throw new IdempotencyKeyMalformed();
    const [path = '', ...query] = request.originalUrl.split('?');
    const keyId = this.current.get()?.principal?.keyId;
    const name = { caller: keyId ?? 'nobody', route: `POST ${path.toLowerCase()}`, key };
    const content = [JSON.stringify(request.body ?? null), ...query].join('?');
    return from(this.answer(name, content, request, http.getResponse<ServerResponse>(), next));
  }

  private async answer(
    name: { readonly caller: string; readonly route: string; readonly key: string },
    content: string,
    request: ApiRequest,
    response: ServerResponse,
    next: CallHandler,
  ): Promise<unknown> {
    const { answer, replayed } = await this.first.once(name, content, async (): Promise<KeptAnswer> => {
      const result = this.answers.render(await lastValueFrom(next.handle()), request, response);
      return {
        status: response.statusCode,
        headers: kept(response.getHeaders()),
        body: isText(result) ? String(result) : null,
      };
    });
    if (replayed) {
      response.statusCode = answer.status;
      for (const [header, value] of Object.entries(answer.headers)) {
        response.setHeader(header, value);
      }
      response.setHeader('Idempotent-Replayed', 'true');
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
