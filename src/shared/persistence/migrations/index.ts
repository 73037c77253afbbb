import { Workspace1700000000001 } from './1700000000001-workspace';

/** Every change of the schema, oldest first. A migration that has been released never changes. */
export const migrations = [Workspace1700000000001];
