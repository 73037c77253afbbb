import { Level } from '../../shared/domain/level';

/** What an invite promises within a private project. */
export interface ProjectAccess {
  /** Id of the project. */
  readonly id: number;
  readonly level: typeof Level.Member | typeof Level.Admin;
}

/** One entry for each project, with the highest level that any of the lists gives (INV-11). */
export function combined(...lists: (readonly ProjectAccess[])[]): ProjectAccess[] {
  const highest = new Map<number, ProjectAccess>();
  for (const { id, level } of lists.flat()) {
    if (level > (highest.get(id)?.level ?? 0)) highest.set(id, { id, level });
  }
  return [...highest.values()];
}
