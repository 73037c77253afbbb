import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Observable } from 'rxjs';
import type { ApiRequest } from './api-request';

/** The outermost: what the others see is the body, which to a stranger is not worth the work of parsing it. */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  intercept(
    context: ExecutionContext,
    next: CallHandler,
  ): Observable<unknown> | Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    return request.parseBody ? request.parseBody().then(() => next.handle()) : next.handle();
  }
}
