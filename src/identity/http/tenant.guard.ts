import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Forbidden, NotFound } from '../../shared/domain/domain-error';
import { TENANT, type TenantOfPath } from '../../shared/http/access';
import { PrincipalQueries } from '../persistence/principal.queries';
import type { OrganizationContext, Principal, ProjectContext } from '../principal';
import type { IdentityRequest } from './identity-request';

const CURRENT = '@current';

/**
 * Third guard: the organization or project of the path is the caller's, or 404, the same whether it exists or
 * not (D13). A key that is restricted to others of the caller's own is told so: 403 (AUTH-17, AUTH-18).
 */
@Injectable()
export class TenantGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly principals: PrincipalQueries,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const tenant = this.reflector.getAllAndOverride<TenantOfPath | undefined>(TENANT, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (!tenant) return true;
    const request = context.switchToHttp().getRequest<IdentityRequest>();
    const { principal } = request;
    if (!principal) throw new Error('A public route cannot be in an organization or project');
    const value = request.params[tenant.param] ?? '';
    if (tenant.kind === 'project') {
      request.project = await this.project(value, principal);
    } else {
      request.organization = this.organization(value, principal);
    }
    return true;
  }

  private organization(value: string, principal: Principal): OrganizationContext {
    const id = value === CURRENT ? principal.currentOrganizationId : value.toLowerCase();
    if (id === null) throw new NotFound('Organization not found.');
    const organization = memberOf(id, principal);
    if (principal.scopedProjects.length > 0) {
      throw new Forbidden('API keys with scoped projects are only supported on project-based endpoints.');
    }
    refuseOtherOrganization(id, principal);
    return organization;
  }

  private async project(value: string, principal: Principal): Promise<ProjectContext> {
    const id = value === CURRENT ? principal.currentProjectId : integerOf(value);
    if (id === null) throw new NotFound('Project not found.');
    const mine = principal.memberships.map(({ organizationId }) => organizationId);
    const organizationId = await this.principals.organizationOfProject(id, mine);
    if (organizationId === null) throw new NotFound();
    const organization = memberOf(organizationId, principal);
    refuseOtherOrganization(organizationId, principal);
    if (principal.scopedProjects.length > 0 && !principal.scopedProjects.includes(id)) {
      throw new Forbidden(`API key does not have access to the requested project: ID ${id}.`);
    }
    return { id, organization };
  }
}

/** @throws NotFound when the caller is no member. */
function memberOf(organizationId: string, principal: Principal): OrganizationContext {
  const membership = principal.membershipIn(organizationId);
  if (!membership) throw new NotFound();
  return { id: organizationId, level: membership.level, pluginsAccessLevel: membership.pluginsAccessLevel };
}

function refuseOtherOrganization(id: string, { scopedOrganizations }: Principal): void {
  if (scopedOrganizations.length > 0 && !scopedOrganizations.includes(id)) {
    throw new Forbidden(`API key does not have access to the requested organization: ID ${id}.`);
  }
}

function integerOf(value: string): number {
  if (!/^\d{1,10}$/.test(value) || Number(value) > 2_147_483_647) throw new NotFound();
  return Number(value);
}
