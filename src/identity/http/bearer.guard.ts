import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../../shared/http/access';
import { Throttled, Unauthenticated } from '../../shared/http/http-errors';
import { subjectOfAddress } from '../../shared/limits/address-subject';
import { RateLimits } from '../../shared/limits/rate-limits';
import type { RateWindow } from '../../shared/limits/rate-window';
import { BearerStrategy } from './bearer.strategy';
import type { IdentityRequest } from './identity-request';
import { projectOf } from './tenants';

/** So many keys that are none may come from one address in a minute. */
const FAILED_KEYS: RateWindow = { seconds: 60, limit: 30, bucket: 5 };

/** First guard: the key becomes the Principal, or 401. Where a key is optional, one that is sent must be valid. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    private readonly strategy: BearerStrategy,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const request = context.switchToHttp().getRequest<IdentityRequest>();
    const { authorization } = request.headers;
    if (access === 'public' || (access === 'optional key' && authorization === undefined)) return true;
    const [, key] = /^Bearer +(\S+) *$/.exec(authorization ?? '') ?? [];
    if (key === undefined) {
      throw new Unauthenticated('not_authenticated', 'Authentication credentials were not provided.');
    }
    try {
      const project = projectOf(this.reflector, context, request.params);
      request.principal = await this.strategy.principalOf(key, project);
    } catch (error) {
      if (error instanceof Unauthenticated) this.slowDown(request.address);
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
}
