import type { Scope } from '../../src/shared/http/access';

/** A row of the reference's tables of endpoints: method, path, scope (D10 where the reference names none), status. */
export type Row = readonly [method: string, path: string, scope: Scope, status: number];

const organization = '/api/organizations/{organization_id}/';

const families = [
  'pipeline_destinations',
  'pipeline_frontend_apps',
  'pipeline_import_apps',
  'pipeline_transformations',
] as const;

const pluginRows = (base: string): Row[] => [
  ['GET', base, 'plugin:read', 200],
  ['POST', base, 'plugin:write', 201],
  ['GET', `${base}{id}/`, 'plugin:read', 200],
  ['PATCH', `${base}{id}/`, 'plugin:write', 200],
  ['DELETE', `${base}{id}/`, 'plugin:write', 204],
  ['GET', `${base}{id}/check_for_updates/`, 'plugin:read', 200],
  ['GET', `${base}{id}/source/`, 'plugin:read', 200],
  ['PATCH', `${base}{id}/update_source/`, 'plugin:write', 200],
  ['POST', `${base}{id}/upgrade/`, 'plugin:write', 200],
  ['GET', `${base}activity/`, 'plugin:read', 200],
  ['GET', `${base}exports_unsubscribe_configs/`, 'plugin:read', 200],
  ['GET', `${base}repository/`, 'plugin:read', 200],
  ['GET', `${base}unused/`, 'plugin:read', 200],
];

/** Section 4 of the reference, row by row, with the operations that D17 adds to the transformations. */
export const REFERENCE: readonly Row[] = [
  ['GET', '/api/organizations/', 'organization:read', 200],
  ['POST', '/api/organizations/', 'organization:write', 201],
  ['GET', '/api/organizations/{id}/', 'organization:read', 200],
  ['PATCH', '/api/organizations/{id}/', 'organization:write', 200],
  ['DELETE', '/api/organizations/{id}/', 'organization:write', 204],

  ['GET', `${organization}batch_exports/`, 'batch_export:read', 200],
  ['POST', `${organization}batch_exports/`, 'batch_export:write', 201],
  ['GET', `${organization}batch_exports/{id}/`, 'batch_export:read', 200],
  ['PATCH', `${organization}batch_exports/{id}/`, 'batch_export:write', 200],
  ['DELETE', `${organization}batch_exports/{id}/`, 'batch_export:write', 204],
  ['POST', `${organization}batch_exports/{id}/backfill/`, 'batch_export:write', 200],
  ['GET', `${organization}batch_exports/{id}/logs/`, 'batch_export:read', 200],
  ['POST', `${organization}batch_exports/{id}/pause/`, 'batch_export:write', 200],
  ['POST', `${organization}batch_exports/{id}/unpause/`, 'batch_export:write', 200],

  ['GET', `${organization}domains/`, 'organization:read', 200],
  ['POST', `${organization}domains/`, 'organization:write', 201],
  ['GET', `${organization}domains/{id}/`, 'organization:read', 200],
  ['PATCH', `${organization}domains/{id}/`, 'organization:write', 200],
  ['DELETE', `${organization}domains/{id}/`, 'organization:write', 204],
  ['POST', `${organization}domains/{id}/verify/`, 'organization:write', 200],

  ['GET', `${organization}invites/`, 'organization_member:read', 200],
  ['POST', `${organization}invites/`, 'organization_member:write', 201],
  ['DELETE', `${organization}invites/{id}/`, 'organization_member:write', 204],
  ['POST', `${organization}invites/bulk/`, 'organization_member:write', 200],

  ['GET', `${organization}members/`, 'organization_member:read', 200],
  ['PATCH', `${organization}members/{user__uuid}/`, 'organization_member:write', 200],
  ['DELETE', `${organization}members/{user__uuid}/`, 'organization_member:write', 204],

  ...families.flatMap((family) => pluginRows(`${organization}${family}/`)),

  ['GET', '/api/projects/{project_id}/actions/', 'action:read', 200],
  ['POST', '/api/projects/{project_id}/actions/', 'action:write', 201],
  ['GET', '/api/projects/{project_id}/actions/{id}/', 'action:read', 200],
  ['PATCH', '/api/projects/{project_id}/actions/{id}/', 'action:write', 200],
  ['DELETE', '/api/projects/{project_id}/actions/{id}/', 'action:write', 405],
];
