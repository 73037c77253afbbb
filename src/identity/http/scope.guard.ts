import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Forbidden } from '../../shared/domain/domain-error';
import { ACCESS, type Access } from '../../shared/http/access';
import { grants } from '../domain/scope';
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
    if (access === 'public' || access === 'any key') return true;
    const { principal } = context.switchToHttp().getRequest<IdentityRequest>();
    if (!principal || !grants(principal.scopes, access.scope)) {
      throw new Forbidden(`API key missing required scope '${access.scope}'`);
    }
    return true;
  }
}
