import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { ACCESS, type Access } from '../../shared/http/access';
import { Throttled, Unauthenticated } from '../../shared/http/http-errors';
import { subjectOfAddress } from '../../shared/limits/address-subject';
import { RateLimits } from '../../shared/limits/rate-limits';
import type { RateWindow } from '../../shared/limits/rate-window';
import type { Principal } from '../principal';
import { BearerStrategy, type KeyedRequest } from './bearer.strategy';
import type { IdentityRequest } from './identity-request';
import { projectOf } from './tenants';

/** So many keys that are none may come from one address in a minute. */
const FAILED_KEYS: RateWindow = { seconds: 60, limit: 30, bucket: 5 };

/**
 * What passport sees of a request: the header alone, in one form. Passport's strategy would also take a key from the
 * query or the body, where keys end up in logs (D10), and refuses the extra blanks of AUTH-02.
 *
 * A class, for its setter: V8 gives an object with a setter of its own a shape of its own, among the old objects, which
 * holds on to the request until all memory is looked through (ADR 24).
 */
class ShownRequest implements KeyedRequest {
  readonly headers: { readonly authorization: string };

  constructor(
    private readonly request: IdentityRequest,
    key: string,
    readonly project: KeyedRequest['project'],
  ) {
    this.headers = { authorization: `Bearer ${key}` };
  }

  set user(principal: Principal) {
    this.request.principal = principal;
  }
}

/** First guard: the key becomes the Principal, or 401. Where a key is optional, one that is sent must be valid. */
@Injectable()
export class BearerGuard extends AuthGuard() {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    strategy: BearerStrategy,
  ) {
    super({
      // The strategy itself, which passport takes as well as a name: names hold for the whole process, in which
      // there may be two servers. One for each request, because passport keeps on it whom it has to tell: with one
      // for all, requests that come at once would answer each other's callers.
      get defaultStrategy() {
        return Object.create(strategy) as string;
      },
    });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const { headers, address } = context.switchToHttp().getRequest<IdentityRequest>();
    if (access === 'public' || (access === 'optional key' && headers.authorization === undefined))
      return true;
    try {
      await super.canActivate(context);
    } catch (error) {
      if (error instanceof Unauthenticated && error.code === 'authentication_failed') this.slowDown(address);
      throw error;
    }
    return true;
  }

  /** Who tries keys is told to wait; a valid key from the same address is not held up. @throws Throttled */
  private slowDown(address: string): void {
    if (!this.limits.enabled) return;
    const subject = `failed keys, ${subjectOfAddress(address)}`;
    const [standing] = this.limits.standings(subject, [FAILED_KEYS]);
    if (standing?.remaining === 0) throw new Throttled(standing.reset);
    this.limits.add(subject, [FAILED_KEYS]);
  }

  override getRequest(context: ExecutionContext): KeyedRequest {
    const request = context.switchToHttp().getRequest<IdentityRequest>();
    const [, key] = /^Bearer +(\S+) *$/.exec(request.headers.authorization ?? '') ?? [];
    if (key === undefined) {
      throw new Unauthenticated('not_authenticated', 'Authentication credentials were not provided.');
    }
    return new ShownRequest(request, key, projectOf(this.reflector, context, request.params));
  }

  override handleRequest<P>(error: unknown, principal: P): P {
    if (error) throw error;
    return principal;
  }
}
