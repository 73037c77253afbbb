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
  TENANT,
  type TenantOfPath,
} from '../../shared/http/access';
import { AuthenticationService } from '../authentication.service';
import type { OrganizationContext, Principal, ProjectContext } from '../principal';
import type { IdentityRequest } from './identity-request';

const CURRENT = '@current';

/**
 * Third guard: the organization of the path is the caller's, the project one that they see, or 404, the same whether
 * it exists or not (D13). A key that is restricted to others of the caller's own is told so: 403 (AUTH-17, AUTH-18),
 * and then one that uses a scope which the organization does not allow. Where a controller is in an organization and
 * its method in a project, the project is one of that organization.
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authentication: AuthenticationService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const tenants = [context.getClass(), context.getHandler()].flatMap(
      (target) => this.reflector.get<TenantOfPath | undefined>(TENANT, target) ?? [],
    );
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
        request.project = await this.project(value, principal, request.organization);
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

  private async project(
    value: string,
    principal: Principal,
    within: OrganizationContext | undefined,
  ): Promise<ProjectContext> {
    const id = value === CURRENT ? principal.currentProjectId : integerOf(value);
    if (id === null) throw new NotFound('Project not found.');
    const among = within ? [within.id] : principal.memberships.map(({ organizationId }) => organizationId);
    const seen = await this.authentication.projectSeen(id, principal, among);
    if (seen === null) throw new NotFound();
    const organization = memberOf(seen.organizationId, principal);
    principal.mustReachProject(id, seen.organizationId);
    return { id, level: seen.level, organization };
  }
}

/** @throws NotFound when the caller is no member. */
function memberOf(organizationId: string, principal: Principal): OrganizationContext {
  const membership = principal.membershipIn(organizationId);
  if (!membership) throw new NotFound();
  return { id: organizationId, level: membership.level, pluginsAccessLevel: membership.pluginsAccessLevel };
}

function integerOf(value: string): number {
  if (!/^\d{1,10}$/.test(value) || Number(value) > 2_147_483_647) throw new NotFound();
  return Number(value);
}
