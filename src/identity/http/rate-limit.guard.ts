import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost, Reflector } from '@nestjs/core';
import { COUNTED } from '../../shared/http/access';
import { isOfApi } from '../../shared/http/api-request';
import { Throttled } from '../../shared/http/http-errors';
import { subjectOfAddress } from '../../shared/limits/address-subject';
import { RateLimits } from '../../shared/limits/rate-limits';
import type { RateWindow, Standing } from '../../shared/limits/rate-window';
import type { IdentityRequest } from './identity-request';

/** RATE-01. */
const WINDOWS: readonly RateWindow[] = [
  { seconds: 60, limit: 480, bucket: 5 },
  { seconds: 3600, limit: 4800, bucket: 60 },
];
/** Of all keys of a user together: as many as ten have, however many the user makes and deletes. */
const WINDOWS_OF_USER = WINDOWS.map((window) => ({ ...window, limit: 10 * window.limit }));
const POLICY = WINDOWS.map(({ limit, seconds }) => `${limit};w=${seconds}`).join(', ');

/**
 * Fifth guard: each key has so many requests a minute and an hour, or 429 (RATE), and all keys of a user together ten
 * times as many; who calls a route without a key shares those of the address. What an earlier guard refused does not count (RATE-05). Routes outside of the API
 * (health, capture of events) are not limited, unless they are `@Counted()`, and never tell where a caller stands.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimits,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.limits.enabled) return true;
    const http = context.switchToHttp();
    const { principal, address, originalUrl } = http.getRequest<IdentityRequest>();
    const isApi = isOfApi(originalUrl);
    if (!isApi && !this.reflector.get<boolean | undefined>(COUNTED, context.getHandler())) return true;
    const subject = principal ? `key ${principal.keyId}` : subjectOfAddress(address);
    const standings = this.limits.standings(subject, WINDOWS);
    const user = principal ? `user ${principal.userId}` : null;
    const ofUser = user === null ? [] : this.limits.standings(user, WINDOWS_OF_USER);
    const spent = [...standings, ...ofUser].filter(({ remaining }) => remaining === 0);
    if (isApi) this.tell(standings, http.getResponse());
    if (spent.length > 0) throw new Throttled(Math.max(...spent.map(({ reset }) => reset)));
    this.limits.add(subject, WINDOWS);
    if (user !== null) this.limits.add(user, WINDOWS_OF_USER);
    return true;
  }

  private tell(standings: readonly Standing[], response: object): void {
    const tightest = standings.reduce((a, b) => (b.remaining < a.remaining ? b : a));
    const shown = {
      'RateLimit-Limit': tightest.window.limit,
      'RateLimit-Remaining': Math.max(0, tightest.remaining - 1),
      'RateLimit-Reset': tightest.reset,
      'RateLimit-Policy': POLICY,
    };
    for (const [name, value] of Object.entries(shown)) {
      this.adapterHost.httpAdapter.setHeader(response, name, String(value));
    }
  }
}
