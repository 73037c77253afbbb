import { PluginsAccess } from '../../shared/domain/level';
import { Slug } from './slug';

/** What a caller may set; absent fields stay as they are. */
export interface OrganizationDetails {
  readonly name?: string;
  readonly logoMediaId?: string | null;
  readonly isMemberJoinEmailEnabled?: boolean;
  readonly enforce2fa?: boolean | null;
  /** The widest scopes that keys have in the organization; null: whatever they carry. */
  readonly maxKeyScopes?: readonly string[] | null;
}

/** A tenant: people, projects and what they set up belong to it. */
export class Organization {
  private name: string;
  private slugText: string;
  private logoMediaId: string | null = null;
  private customerId: string | null = null;
  private isMemberJoinEmailEnabled = true;
  private enforce2fa: boolean | null = null;
  private maxKeyScopes: readonly string[] | null = null;
  private pluginsAccessLevel: PluginsAccess;
  private metadata: Record<string, unknown> = {};
  private updatedAt: Date;

  private constructor(
    readonly id: string,
    name: string,
    pluginsAccessLevel: PluginsAccess,
    private readonly createdAt: Date,
  ) {
    this.name = name;
    this.slugText = Slug.of(name).text;
    this.pluginsAccessLevel = pluginsAccessLevel;
    this.updatedAt = createdAt;
  }

  /** Plugins may be installed (6), unless it is the server's first organization, which has root access (D15). */
  static found(
    id: string,
    name: string,
    at: Date,
    pluginsAccessLevel: PluginsAccess = PluginsAccess.Install,
  ): Organization {
    return new Organization(id, name, pluginsAccessLevel, at);
  }

  get slug(): string {
    return this.slugText;
  }

  /** After a collision: the name's slug with four random letters (ORG-12). */
  takeAnotherSlug(): void {
    this.slugText = Slug.of(this.name).varied().text;
  }

  /** For the operator alone (D15). */
  grantPluginsAccess(level: PluginsAccess, at: Date): void {
    this.pluginsAccessLevel = level;
    this.updatedAt = at;
  }

  /** For the operator alone: callers read it (D2). */
  describe(metadata: Record<string, unknown>, at: Date): void {
    this.metadata = metadata;
    this.updatedAt = at;
  }

  change(details: OrganizationDetails, at: Date): void {
    this.name = details.name ?? this.name;
    if (details.logoMediaId !== undefined) this.logoMediaId = details.logoMediaId;
    this.isMemberJoinEmailEnabled = details.isMemberJoinEmailEnabled ?? this.isMemberJoinEmailEnabled;
    if (details.enforce2fa !== undefined) this.enforce2fa = details.enforce2fa;
    if (details.maxKeyScopes !== undefined) this.maxKeyScopes = details.maxKeyScopes;
    this.updatedAt = at;
  }
}
