import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { NotFound } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import {
  ACCESS,
  ACROSS_ORGANIZATIONS,
  type Access,
  IN_CURRENT_ORGANIZATION,
  OWNERS_ALWAYS,
} from '../../shared/http/access';
import type { OrganizationContext, Principal, ProjectContext } from '../principal';
import type { IdentityRequest } from './identity-request';
import { CURRENT, tenantsOf } from './tenants';

/**
 * Third guard: the organization of the path is the caller's, the project one that they see, or 404, the same whether
 * it exists or not (D13). A key that is restricted to others of the caller's own is told so: 403 (AUTH-17, AUTH-18),
 * and then one that uses a scope which the organization does not allow. Where a controller is in an organization and
 * its method in a project, the project is one of that organization.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const tenants = tenantsOf(this.reflector, context);
    const declares = (name: string) =>
      this.reflector.get<boolean | undefined>(name, context.getHandler()) ?? false;
    const inCurrent = declares(IN_CURRENT_ORGANIZATION);
    const across = declares(ACROSS_ORGANIZATIONS);
    if (tenants.length === 0 && !inCurrent && !across) return true;
    const request = context.switchToHttp().getRequest<IdentityRequest>();
    const { principal } = request;
    if (!principal) throw new Error('A public route cannot be in an organization or project');
    if (across) principal.mustReachOrganizations();
    if (inCurrent) {
      if (principal.currentOrganizationId === null)
        throw new NotFound('You need to belong to an organization.');
      request.organization = this.organization(CURRENT, principal);
    }
    for (const { kind, param } of tenants) {
      const value = request.params[param] ?? '';
      if (kind === 'organization') {
        request.organization = this.organization(value, principal, param);
      } else {
        request.project = this.project(value, principal, request.organization);
      }
    }
    const organization = request.project?.organization ?? request.organization;
    if (organization) this.refuseForbiddenScope(context, principal, organization);
    return true;
  }

  /** @throws Forbidden */
  private refuseForbiddenScope(
    context: ExecutionContext,
    principal: Principal,
    { id, level }: OrganizationContext,
  ): void {
    const access = this.reflector.getAllAndOverride<Access>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    const ownersAlways =
      this.reflector.get<boolean | undefined>(OWNERS_ALWAYS, context.getHandler()) ?? false;
    if (typeof access === 'string' || (ownersAlways && level >= Level.Owner)) return;
    principal.mustBeAllowed(access.scope, id);
  }

  private organization(value: string, principal: Principal, param?: string): OrganizationContext {
    const id = value === CURRENT ? principal.currentOrganizationId : value.toLowerCase();
    // The text depends on whether the organization is asked for, or something in it (AUTH-23).
    if (id === null)
      throw new NotFound(param === 'id' ? 'Current organization not found.' : 'Organization not found.');
    const organization = memberOf(id, principal);
    principal.mustReachOrganization(id);
    return organization;
  }

  /** The key was looked up together with it. */
  private project(
    value: string,
    principal: Principal,
    within: OrganizationContext | undefined,
  ): ProjectContext {
    if (value === CURRENT && principal.currentProjectId === null) throw new NotFound('Project not found.');
    const { seenProject } = principal;
    if (!seenProject) throw new NotFound();
    const { id, organizationId, level } = seenProject;
    if (within && within.id !== organizationId) throw new NotFound();
    const organization = memberOf(organizationId, principal);
    principal.mustReachProject(id, organizationId);
    return { id, level, organization };
  }
}

/** @throws NotFound when the caller is no member. */
function memberOf(organizationId: string, principal: Principal): OrganizationContext {
  const membership = principal.membershipIn(organizationId);
  if (!membership) throw new NotFound();
  return { id: organizationId, level: membership.level, pluginsAccessLevel: membership.pluginsAccessLevel };
}
