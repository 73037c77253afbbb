import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { IdentityRequest } from '../../identity/index';
import type { ExportScope } from '../domain/export-scope';

/** The organization or the project of the path, on routes declared with either. */
export const Within = createParamDecorator((_: unknown, context: ExecutionContext): ExportScope => {
  const { organization, project, principal } = context.switchToHttp().getRequest<IdentityRequest>();
  if (!principal) throw new Error('The route is public: it has no caller');
  const { userId } = principal;
  if (project) return { organizationId: project.organization.id, projectId: project.id, userId };
  if (!organization) throw new Error('The route is in neither an organization nor a project');
  return { organizationId: organization.id, projectId: null, userId };
});
