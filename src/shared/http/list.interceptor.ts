import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { NumberedPage, Page } from '../domain/representation';
import { Enveloped, OnRequest } from './answers';
import type { ApiRequest } from './api-request';
import { envelope, numberedEnvelope } from './envelope';

/** Wraps a page of a list in the envelope, on every route that takes a window (`windowing`). */
@Injectable()
export class ListInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    return next.handle().pipe(map((answer) => wrapped(answer, request)));
  }
}

function wrapped(answer: unknown, request: ApiRequest): unknown {
  if (answer instanceof OnRequest) return new OnRequest(wrapped(answer.answer, request));
  if (answer instanceof Page) return new Enveloped(envelope(answer, request));
  if (answer instanceof NumberedPage) return new Enveloped(numberedEnvelope(answer, request));
  return answer;
}
