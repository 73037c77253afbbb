/**
 * A LIKE pattern of ClickHouse as one of PostgreSQL: there a backslash before anything but `%`, `_` and itself stands
 * for itself, here it would vanish, and at the end it would be an error.
 */
export const likePattern = (pattern: string): string =>
  pattern.replace(/\\([\\%_])?/g, (_, escaped: string | undefined) => `\\${escaped ?? '\\'}`);
