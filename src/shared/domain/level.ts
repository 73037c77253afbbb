/** A member's level in an organization, and an access level to a private project (ORG-04). */
export const Level = { Member: 1, Admin: 8, Owner: 15 } as const;
export type Level = (typeof Level)[keyof typeof Level];
export const LEVELS: readonly Level[] = Object.values(Level);

/** What an organization may do with plugins (ORG-04). */
export const PluginsAccess = { None: 0, Config: 3, Install: 6, Root: 9 } as const;
export type PluginsAccess = (typeof PluginsAccess)[keyof typeof PluginsAccess];
