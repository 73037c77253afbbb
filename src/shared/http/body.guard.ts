import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { ApiRequest } from './api-request';

/**
 * Behind all other guards: to a stranger a body is not worth the work of parsing it, and why it could not be read
 * tells them nothing (D13).
 */
@Injectable()
export class BodyGuard implements CanActivate {
  /** @throws Malformed, BodyTooLarge, UnsupportedMediaType as the reading of the body ended */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<ApiRequest>();
    return request.parseBody ? request.parseBody().then(() => isReadable(request)) : isReadable(request);
  }
}

function isReadable({ bodyFailure }: ApiRequest): true {
  if (bodyFailure) throw bodyFailure;
  return true;
}
