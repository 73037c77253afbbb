import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiParam } from '@nestjs/swagger';
import type { Level, PluginsAccess } from '../domain/level';

export type Scope =
  | `${'organization' | 'batch_export' | 'organization_member' | 'plugin' | 'action' | 'project'}:${
      | 'read'
      | 'write'}`
  | 'personal_api_key:read'
  | 'personal_api_key:write'
  | 'user:read'
  | 'user:write';

/** Who may call a route: the holder of a key with a scope, of any key, or anyone (D12). */
export type Access = { readonly scope: Scope } | 'any key' | 'public';

export interface TenantOfPath {
  readonly kind: 'organization' | 'project';
  readonly param: string;
}

export interface RequiredLevel {
  readonly level: Level;
  readonly detail: string;
}

export const ACCESS = 'hedgerow:access';
export const TENANT = 'hedgerow:tenant';
export const LEVELS_REQUIRED = 'hedgerow:levels';
export const PLUGINS_ACCESS_REQUIRED = 'hedgerow:plugins-access';

/** The route needs a key with this scope; `write` implies `read`, `*` implies all (D10). Enforced and documented. */
export const RequiresScope = (scope: Scope) =>
  applyDecorators(
    SetMetadata(ACCESS, { scope } satisfies Access),
    ApiBearerAuth('personalApiKey'),
    ApiExtension('x-required-scope', scope),
  );

/** The route needs a valid key, whatever its scopes. */
export const AnyKey = () =>
  applyDecorators(SetMetadata(ACCESS, 'any key' satisfies Access), ApiBearerAuth('personalApiKey'));

/** The route is open to everyone. */
export const Public = () => SetMetadata(ACCESS, 'public' satisfies Access);

/** The organization of the path must be one of the caller's, else 404 (D13); `@current` stands for theirs (D14). */
export const InOrganization = (param = 'organization_id') =>
  applyDecorators(
    SetMetadata(TENANT, { kind: 'organization', param } satisfies TenantOfPath),
    ApiParam({
      name: param,
      description: 'UUID of an organization you belong to, or `@current`.',
      schema: { type: 'string', example: '@current' },
    }),
  );

/** The project of the path must be in one of the caller's organizations, else 404 (D13, D14). */
export const InProject = (param = 'project_id') =>
  applyDecorators(
    SetMetadata(TENANT, { kind: 'project', param } satisfies TenantOfPath),
    ApiParam({
      name: param,
      description: 'Id of a project of an organization you belong to, or `@current`.',
      schema: { type: 'string', example: '@current' },
    }),
  );

/** The member levels that the route needs, checked in order; the first that fails gives the 403 its text. */
export const RequiresLevel = (...levels: RequiredLevel[]) => SetMetadata(LEVELS_REQUIRED, levels);

/** The organization's plugins access level that the route needs, else 403 (PLUG-05). */
export const RequiresPluginsAccess = (level: PluginsAccess) => SetMetadata(PLUGINS_ACCESS_REQUIRED, level);
