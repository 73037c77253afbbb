import type { UserListing } from '../../identity/index';
import type { Column } from '../table';
import { minute, nameOfLevel, some } from '../words';

export const USER_COLUMNS: readonly Column<UserListing>[] = [
  { heading: 'ADDRESS', of: ({ email }) => email },
  { heading: 'NAME', of: ({ first_name, last_name }) => `${first_name} ${last_name}`.trim() },
  { heading: 'STATE', of: ({ is_active }) => (is_active ? 'active' : 'deactivated') },
  {
    heading: 'ORGANIZATIONS',
    of: ({ organizations }) =>
      some(organizations.map(({ slug, level }) => `${slug} (${nameOfLevel(level)})`)),
  },
  { heading: 'KEYS', of: ({ keys }) => keys },
  { heading: 'LAST USE (UTC)', of: ({ last_used_at }) => minute(last_used_at, 'never') },
];
