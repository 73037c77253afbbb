import { MEMBER_ORDERS } from '../../src/membership/member-filter';

/** The tenant whose lists are asked for: number 1 is the large one of `seed.ts`. */
export interface Tenant {
  readonly organization: string;
  readonly project: number;
  readonly user: number;
  readonly batchExport: string;
}

const uuid = (kind: string, i: number): string =>
  `${kind.charCodeAt(0).toString(16).padStart(8, '0')}-0000-7000-8000-${i.toString(16).padStart(12, '0')}`;

export const LARGE_TENANT: Tenant = {
  organization: uuid('o', 1),
  project: 1,
  user: 1,
  batchExport: uuid('b', 1),
};
export const SMALL_TENANT: Tenant = {
  organization: uuid('o', 77),
  project: 75,
  user: 75,
  batchExport: uuid('b', 9000),
};

type Values = (tenant: Tenant) => readonly (string | number | null)[];

const NOW = '2025-02-01T00:00Z';
const ACTIVITY = (...filter: (string | null)[]): Values => {
  return ({ organization, user }) => [organization, user, ...filter];
};

/**
 * What lists are asked with, but for limit and offset; those that are planned anew for each use, for each use that
 * differs. A list that is missing here fails the test.
 */
export const VALUES: Record<string, readonly Values[]> = {
  'action.list': [({ project }) => [project]],
  'action.table_details': [({ project }) => [project, '{1,16,31,46,61}']],
  'action.table_rows': [({ project }) => [project, '{1,16,31,46,61}']],
  'activity.list': [
    ACTIVITY(null, null, null, null, null),
    ACTIVITY('Action', null, null, null, null),
    ACTIVITY('Action', '5', null, null, null),
    ACTIVITY(null, null, uuid('u', 1), null, null),
    ACTIVITY(null, null, null, '2025-01-02T00:00Z', '2025-01-03T00:00Z'),
  ],
  'activity.list_of_kind': [ACTIVITY('Plugin', 'transformation')],
  'batch_export.backfills': [({ batchExport }) => [batchExport]],
  'batch_export.list_of_organization': [({ organization, user }) => [organization, user]],
  'batch_export.list_of_project': [({ project }) => [project]],
  'batch_export.logs': [
    ({ batchExport }) => [batchExport, null, null, null, null, null],
    ({ batchExport }) => [batchExport, '2025-01-02T00:00Z', '2025-01-03T00:00Z', '{INFO}', null, null],
    ({ batchExport }) => [batchExport, null, null, null, '%e%', null],
    ({ batchExport }) => [batchExport, null, null, null, null, uuid('r', 5)],
  ],
  'batch_export.runs': [
    ({ batchExport }) => [batchExport, null, null, null, null],
    ({ batchExport }) => [batchExport, '{Completed}', null, null, null],
    ({ batchExport }) => [batchExport, null, '2025-01-02T00:00Z', '2025-01-03T00:00Z', null],
    ({ batchExport }) => [batchExport, null, null, null, uuid('f', 2)],
  ],
  'domain.list': [({ organization }) => [organization]],
  'invite.list': [({ organization, user }) => [organization, NOW, user]],
  ...Object.fromEntries(
    MEMBER_ORDERS.flatMap((order) => [
      [`member.list.${order}`, [({ organization }) => [organization]] satisfies Values[]],
      [
        `member.list_filtered.${order}`,
        [
          ({ organization }) => [organization, NOW, null],
          ({ organization }) => [organization, null, 'user-51@example.com'],
        ] satisfies Values[],
      ],
    ]),
  ),
  'organization.list': [({ organization, user }) => [user, `{${organization}}`]],
  'personal_api_key.list': [({ user }) => [user]],
  'personal_api_key.list_reaching': [({ organization }) => [organization, NOW]],
  'plugin.list': [({ organization }) => ['transformation', organization]],
  'plugin_config.list': [({ project }) => [project]],
  'plugin_config.exporting': [({ organization, user }) => ['transformation', organization, user]],
  'project.list': [({ organization, user }) => [user, `{${organization}}`, '{}']],
  'project_member.list': [() => [5], () => [10]],
};
