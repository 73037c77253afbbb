import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ApiRequest } from '../../shared/http/api-request';
import type { OrganizationContext, Principal, ProjectContext } from '../principal';

/** A request after the guards. */
export interface IdentityRequest extends ApiRequest {
  principal?: Principal;
  organization?: OrganizationContext;
  project?: ProjectContext;
}

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<IdentityRequest>();

/** The caller. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = requestOf(context);
  if (!principal) throw new Error('The route is public: it has no caller');
  return principal;
});

/** The caller, or null when no key was sent; on routes declared with `@OptionalKey()`. */
export const OptionalCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Principal | null => requestOf(context).principal ?? null,
);

/** The organization of the path, on routes declared with `@InOrganization()`. */
export const Organization = createParamDecorator(
  (_: unknown, context: ExecutionContext): OrganizationContext => {
    const { organization } = requestOf(context);
    if (!organization) throw new Error('The route is not declared @InOrganization()');
    return organization;
  },
);

/** The project of the path, on routes declared with `@InProject()`. */
export const Project = createParamDecorator((_: unknown, context: ExecutionContext): ProjectContext => {
  const { project } = requestOf(context);
  if (!project) throw new Error('The route is not declared @InProject()');
  return project;
});
