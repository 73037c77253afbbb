import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../../shared/http/access';
import type { IdentityRequest } from './identity-request';

/** Second guard: the key carries the scope that the route declares, or 403 (AUTH-08). */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === undefined) throw new Error('The route declares no access');
    if (typeof access === 'string') return true;
    const { principal } = context.switchToHttp().getRequest<IdentityRequest>();
    if (!principal) throw new Error('The bearer guard comes first');
    principal.mustHaveScope(access.scope);
    return true;
  }
}
