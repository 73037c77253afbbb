/** What a run is for: the schedule, or a backfill of past data. */
export type RunKind = 'schedule' | 'backfill';

/** Whose data a run exports. */
export interface Tenant {
  readonly organizationId: string;
  readonly projectId: number;
}

/** Who holds the slots of all processes together, and who may come to want one. */
export interface Occupancy {
  /** How many runs all processes together execute at once. */
  readonly slots: number;
  /** The runs that are executed, by project. */
  readonly running: readonly (Tenant & { readonly runs: number; readonly backfillRuns: number })[];
  /** The first and the last, by organization and then by project, of those that have an export which is not paused. */
  readonly exporting: readonly Tenant[];
}

/** Whose run may be next: the first of a kind that waits and is of none of these. */
export interface Turn {
  readonly kind: RunKind;
  readonly notOrganizations: readonly string[];
  readonly notProjects: readonly number[];
}

/** After so many runs of the schedule one of a backfill is next, if any waits. */
export const SCHEDULED_IN_A_ROW = 3;

/**
 * Who may have a slot that is free, the first that waits. An organization that holds half of all slots leaves it to
 * those that hold less; nobody, be it an organization, a project or the backfills of all, takes the last slot, as long
 * as others might come that want it. So what hangs for one tenant, or is a lot, keeps nobody else from being served.
 * @param scheduledInARow how many runs of the schedule were served since the last of a backfill
 */
export function turnsAt({ slots, running, exporting }: Occupancy, scheduledInARow: number): Turn[] {
  const half = Math.max(1, Math.floor(slots / 2));
  const almostAll = Math.max(1, slots - 1);
  const organizations = counted(running, ({ organizationId }) => organizationId);
  const projects = counted(running, ({ projectId }) => projectId);
  const backfillRuns = running.reduce((sum, each) => sum + each.backfillRuns, 0);

  const withHalf = organizations.filter(([, runs]) => runs >= half).map(([id]) => id);
  const notOrganizations = organizations
    .filter(([id, runs]) => runs >= almostAll && exporting.some((other) => other.organizationId !== id))
    .map(([id]) => id);
  const notProjects = projects
    .filter(([id, runs]) => runs >= almostAll && exporting.some((other) => other.projectId !== id))
    .map(([id]) => id);

  const kinds: RunKind[] =
    scheduledInARow < SCHEDULED_IN_A_ROW ? ['schedule', 'backfill'] : ['backfill', 'schedule'];
  const allowed = kinds.filter((kind) => kind === 'schedule' || backfillRuns < almostAll);
  const rounds = withHalf.length > notOrganizations.length ? [withHalf, notOrganizations] : [withHalf];
  return rounds.flatMap((excluded) =>
    allowed.map((kind) => ({ kind, notOrganizations: excluded, notProjects })),
  );
}

function counted<Id>(running: Occupancy['running'], idOf: (tenant: Tenant) => Id): [Id, number][] {
  const counts = new Map<Id, number>();
  for (const each of running) counts.set(idOf(each), (counts.get(idOf(each)) ?? 0) + each.runs);
  return [...counts];
}
