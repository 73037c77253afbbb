import { Forbidden } from '../shared/domain/domain-error';
import type { Level, PluginsAccess } from '../shared/domain/level';
import { grants } from './domain/scope';

export interface Membership {
  readonly organizationId: string;
  readonly level: Level;
  readonly pluginsAccessLevel: PluginsAccess;
  /** The widest scopes that the organization lets keys have in it; null: whatever they have. */
  readonly maxKeyScopes: readonly string[] | null;
}

/** A project as its user sees it. */
export interface SeenProject {
  readonly id: number;
  readonly organizationId: string;
  /** The user's level in it: what they were given there, or their level in the organization where that is higher. */
  readonly level: Level;
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
    /** The project of the path; null when there is none in it, or none that the user sees. */
    readonly seenProject: SeenProject | null,
  ) {}

  membershipIn(organizationId: string): Membership | null {
    return this.memberships.find((membership) => membership.organizationId === organizationId) ?? null;
  }

  /**
   * The organizations that this key reaches: its user's, less what the key is not scoped to and, with a scope, less
   * those that do not let keys have it.
   */
  reachableOrganizations(scope?: string): readonly string[] {
    const all = this.memberships
      .filter(({ maxKeyScopes }) => scope === undefined || allows(maxKeyScopes, scope))
      .map(({ organizationId }) => organizationId);
    return this.scopedOrganizations.length === 0
      ? all
      : all.filter((id) => this.scopedOrganizations.includes(id));
  }

  /** @throws Forbidden when the key does not carry the scope (AUTH-08). */
  mustHaveScope(scope: string): void {
    if (!grants(this.scopes, scope)) throw new Forbidden(`API key missing required scope '${scope}'`);
  }

  /** @throws Forbidden when the organization lets no key have the scope in it, whatever scopes the key carries. */
  mustBeAllowed(scope: string, organizationId: string): void {
    if (!allows(this.membershipIn(organizationId)?.maxKeyScopes ?? null, scope)) {
      throw new Forbidden(`The organization does not allow API keys the scope '${scope}'.`);
    }
  }

  /** @throws Forbidden when the key is restricted to projects (AUTH-18, ORG-26). */
  mustReachOrganizations(): void {
    if (this.scopedProjects.length > 0) {
      throw new Forbidden('API keys with scoped projects are only supported on project-based endpoints.');
    }
  }

  /** @throws Forbidden when the key is restricted to projects, or to other organizations (AUTH-17, AUTH-18). */
  mustReachOrganization(id: string): void {
    this.mustReachOrganizations();
    this.mustReachWithin(id);
  }

  /** @throws Forbidden when the key is restricted to other organizations or projects (AUTH-17, AUTH-18). */
  mustReachProject(id: number, organizationId: string): void {
    this.mustReachWithin(organizationId);
    if (this.scopedProjects.length > 0 && !this.scopedProjects.includes(id)) {
      throw new Forbidden(`API key does not have access to the requested project: ID ${id}.`);
    }
  }

  private mustReachWithin(organizationId: string): void {
    if (this.scopedOrganizations.length > 0 && !this.scopedOrganizations.includes(organizationId)) {
      throw new Forbidden(
        `API key does not have access to the requested organization: ID ${organizationId}.`,
      );
    }
  }
}

const allows = (maxKeyScopes: readonly string[] | null, scope: string): boolean =>
  maxKeyScopes === null || grants(maxKeyScopes, scope);

/** The organization of the path, one of the caller's. */
export interface OrganizationContext {
  readonly id: string;
  /** The caller's level in it. */
  readonly level: Level;
  readonly pluginsAccessLevel: PluginsAccess;
}

/** The project of the path, in one of the caller's organizations, and one that they see. */
export interface ProjectContext {
  readonly id: number;
  /** The caller's level in it: what they were given there, or their level in the organization where that is higher. */
  readonly level: Level;
  readonly organization: OrganizationContext;
}
