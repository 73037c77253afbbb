import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Forbidden } from '../../shared/domain/domain-error';
import type { PluginsAccess } from '../../shared/domain/level';
import { LEVELS_REQUIRED, PLUGINS_ACCESS_REQUIRED, type RequiredLevel } from '../../shared/http/access';
import type { IdentityRequest } from './identity-request';
import { userUuidOf } from './user-uuid.param';

/** Fourth guard: the caller's level, and the organization's plugins access level, reach (D13), or 403. */
@Injectable()
export class LevelGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const targets = [context.getHandler(), context.getClass()];
    const levels =
      this.reflector.getAllAndOverride<RequiredLevel[] | undefined>(LEVELS_REQUIRED, targets) ?? [];
    const plugins = this.reflector.getAllAndOverride<PluginsAccess | undefined>(
      PLUGINS_ACCESS_REQUIRED,
      targets,
    );
    const request = context.switchToHttp().getRequest<IdentityRequest>();
    const organization = request.organization ?? request.project?.organization;
    if (!organization) {
      if (levels.length > 0 || plugins !== undefined)
        throw new Error('A level needs an organization in the path');
      return true;
    }
    for (const { level, within, butFor, detail } of levels) {
      const own = within === 'project' ? request.project?.level : organization.level;
      if (own === undefined) throw new Error('A level in a project needs a project in the path');
      if (own >= level) continue;
      if (butFor === 'oneself' && userUuidOf(request) === request.principal?.userUuid) continue;
      throw new Forbidden(detail);
    }
    if (plugins !== undefined && organization.pluginsAccessLevel < plugins) {
      throw new Forbidden("Your organization's plugin access level is insufficient.");
    }
    return true;
  }
}
