import { PluginsAccess } from '../shared/domain/level';

/** An ISO 8601 moment to the minute, in UTC as headings say. */
export const minute = (moment: string | null, none: string): string =>
  moment === null ? none : moment.slice(0, 16).replace('T', ' ');

/** `3 keys`, `1 key`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** A text that would make a table too wide, to its first so many characters; JSON has all of it. */
export const cut = (text: string, longest: number): string =>
  [...text].length > longest ? `${[...text].slice(0, longest - 1).join('')}…` : text;

/** The first few of a list, and how many more there are. */
export const some = (items: readonly string[], most = 3): string =>
  items.length > most
    ? `${items.slice(0, most - 1).join(', ')} and ${items.length - most + 1} more`
    : items.join(', ');

const ACCESS_NAMES: Readonly<Record<PluginsAccess, string>> = {
  [PluginsAccess.None]: 'none',
  [PluginsAccess.Config]: 'config',
  [PluginsAccess.Install]: 'install',
  [PluginsAccess.Root]: 'root',
};

export const nameOfAccess = (level: PluginsAccess): string => ACCESS_NAMES[level];

/** The plugins access level with this name or number, or null. */
export function accessNamed(text: string): PluginsAccess | null {
  const level = Object.values(PluginsAccess).find(
    (candidate) => nameOfAccess(candidate) === text || String(candidate) === text,
  );
  return level ?? null;
}

const LEVEL_NAMES: Readonly<Record<number, string>> = { 1: 'member', 8: 'administrator', 15: 'owner' };

export const nameOfLevel = (level: number): string => LEVEL_NAMES[level] ?? String(level);
