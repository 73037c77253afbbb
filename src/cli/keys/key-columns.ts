import type { KeyListing } from '../../identity/index';
import type { Column } from '../table';
import { counted, minute, some } from '../words';

export const KEY_COLUMNS: readonly Column<KeyListing>[] = [
  { heading: 'ID', of: ({ id }) => id },
  { heading: 'USER', of: ({ user, user_is_active }) => (user_is_active ? user : `${user} (deactivated)`) },
  { heading: 'LABEL', of: ({ label }) => label },
  { heading: 'KEY', of: ({ mask_value }) => mask_value },
  { heading: 'SCOPES', of: ({ scopes }) => some(scopes) },
  { heading: 'WORKS IN', of: reachOf },
  { heading: 'LAST USE (UTC)', of: ({ last_used_at }) => minute(last_used_at, 'never') },
  { heading: 'EXPIRES (UTC)', of: ({ expires_at }) => minute(expires_at, 'never') },
];

/** Where a key works, in words. */
export function reachOf(key: Pick<KeyListing, 'scoped_organizations' | 'scoped_teams'>): string {
  const limits = [
    ...(key.scoped_organizations.length > 0
      ? [counted(key.scoped_organizations.length, 'organization')]
      : []),
    ...(key.scoped_teams.length > 0 ? [counted(key.scoped_teams.length, 'project')] : []),
  ];
  return limits.join(', ') || 'everything';
}
