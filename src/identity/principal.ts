import type { Level, PluginsAccess } from '../shared/domain/level';

export interface Membership {
  readonly organizationId: string;
  readonly level: Level;
  readonly pluginsAccessLevel: PluginsAccess;
}

/** Who calls: the user behind a valid key, what the key may do, and where the user belongs. */
export class Principal {
  constructor(
    readonly userId: number,
    readonly userUuid: string,
    readonly email: string,
    readonly keyId: string,
    readonly scopes: readonly string[],
    /** The key works in these organizations only; empty: in all of its user's. */
    readonly scopedOrganizations: readonly string[],
    /** The key works in these projects only; empty: in all. */
    readonly scopedProjects: readonly number[],
    readonly currentOrganizationId: string | null,
    readonly currentProjectId: number | null,
    readonly memberships: readonly Membership[],
  ) {}

  membershipIn(organizationId: string): Membership | null {
    return this.memberships.find((membership) => membership.organizationId === organizationId) ?? null;
  }

  /** The organizations that this key reaches: its user's, less what the key is not scoped to. */
  reachableOrganizations(): readonly string[] {
    const all = this.memberships.map(({ organizationId }) => organizationId);
    return this.scopedOrganizations.length === 0
      ? all
      : all.filter((id) => this.scopedOrganizations.includes(id));
  }
}

/** The organization of the path, one of the caller's. */
export interface OrganizationContext {
  readonly id: string;
  /** The caller's level in it. */
  readonly level: Level;
  readonly pluginsAccessLevel: PluginsAccess;
}

/** The project of the path, in one of the caller's organizations. */
export interface ProjectContext {
  readonly id: number;
  readonly organization: OrganizationContext;
}
