import { applyDecorators, SetMetadata } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiExtension,
  ApiMethodNotAllowedResponse,
  ApiNotFoundResponse,
  ApiSecurity,
} from '@nestjs/swagger';
import type { Level, PluginsAccess } from '../domain/level';
import { ErrorResponse } from './openapi/error.response';

export type Scope =
  | `${'organization' | 'batch_export' | 'organization_member' | 'plugin' | 'action' | 'project'}:${
      | 'read'
      | 'write'}`
  | 'activity_log:read'
  | 'personal_api_key:read'
  | 'personal_api_key:write'
  | 'user:read'
  | 'user:write';

/**
 * Who may call a route: the holder of a key with a scope, of any key, or anyone; of anyone, a key may say who they
 * are (D12).
 */
export type Access = { readonly scope: Scope } | 'any key' | 'optional key' | 'public';

export interface TenantOfPath {
  readonly kind: 'organization' | 'project';
  readonly param: string;
}

export interface RequiredLevel {
  readonly level: Level;
  /** Where the caller must have it, of the organization and the project of the path; the organization unless said. */
  readonly within?: 'project';
  /** Not needed by whom the path itself names (`user__uuid`). */
  readonly butFor?: 'oneself';
  readonly detail: string;
}

export const ACCESS = 'hedgerow:access';
export const TENANT = 'hedgerow:tenant';
export const IN_CURRENT_ORGANIZATION = 'hedgerow:in-current-organization';
export const ACROSS_ORGANIZATIONS = 'hedgerow:across-organizations';
export const LEVELS_REQUIRED = 'hedgerow:levels';
export const PLUGINS_ACCESS_REQUIRED = 'hedgerow:plugins-access';
export const REFUSED = 'hedgerow:refused';
export const OWNERS_ALWAYS = 'hedgerow:owners-always';
export const COUNTED = 'hedgerow:counted';

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

/** The route is open to everyone; a key that is sent must be valid, and tells who calls. */
export const OptionalKey = () =>
  applyDecorators(
    SetMetadata(ACCESS, 'optional key' satisfies Access),
    ApiBearerAuth('personalApiKey'),
    // OpenAPI's way to say that no key will do as well.
    ApiSecurity({}),
  );

/** The route is open to everyone. */
export const Public = () => SetMetadata(ACCESS, 'public' satisfies Access);

/** The organization of the path must be one of the caller's, else 404 (D13); `@current` stands for theirs (D14). */
export const InOrganization = (param = 'organization_id') =>
  SetMetadata(TENANT, { kind: 'organization', param } satisfies TenantOfPath);

/** The route works in the caller's current organization, though its path does not name it; 404 without one. */
export const InCurrentOrganization = () =>
  applyDecorators(
    SetMetadata(IN_CURRENT_ORGANIZATION, true),
    ApiNotFoundResponse({ type: ErrorResponse, description: 'You belong to no organization.' }),
  );

/** The route is about organizations without naming one: a key that is restricted to projects gets 403 (AUTH-18). */
export const AcrossOrganizations = () => SetMetadata(ACROSS_ORGANIZATIONS, true);

/** The project of the path must be in one of the caller's organizations, else 404 (D13, D14). */
export const InProject = (param = 'project_id') =>
  SetMetadata(TENANT, { kind: 'project', param } satisfies TenantOfPath);

/** The member levels that the route needs, checked in order; the first that fails gives the 403 its text. */
export const RequiresLevel = (...levels: RequiredLevel[]) => SetMetadata(LEVELS_REQUIRED, levels);

/** The organization's plugins access level that the route needs, else 403 (PLUG-05). */
export const RequiresPluginsAccess = (level: PluginsAccess) => SetMetadata(PLUGINS_ACCESS_REQUIRED, level);

/** The route is no part of the API, but counts towards the limits of its callers as if it were (RATE-04). */
export const Counted = () => SetMetadata(COUNTED, true);

/**
 * Owners of the organization may call the route whatever scopes it lets keys have (`max_key_scopes`): it is the way to
 * let keys have more again. The key itself must carry the scope all the same.
 */
export const OwnersAlways = () => SetMetadata(OWNERS_ALWAYS, true);

/**
 * The route is there to say why its method is not offered: once the guards and its own checks have passed, its
 * handler throws `MethodNotAllowed`. `Allow` leaves the method out; the document shows the 405 (D7).
 */
export const Refused = (why: string) =>
  applyDecorators(
    SetMetadata(REFUSED, true),
    ApiMethodNotAllowedResponse({ type: ErrorResponse, description: why }),
  );
