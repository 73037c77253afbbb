import { Forbidden } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import { isTimezone, TimezoneUnknown } from './timezone';

/** What a caller may set; absent fields stay as they are. */
export interface ProjectDetails {
  readonly name?: string;
  readonly timezone?: string;
  /** Whether the project is private. */
  readonly accessControl?: boolean;
}

/** Who sees a project is decided by those who see every project of the organization. */
export class OnlyAdminsSetPrivacy extends Forbidden {
  constructor() {
    super('You do not have admin access to this resource.');
  }
}

/** A place for events within an organization, with its own actions and exports. */
export class Project {
  readonly id!: number;
  private name: string;
  private timezone = 'UTC';
  private readonly isDemo = false;
  private readonly completedSnippetOnboarding = false;
  private readonly ingestedEvent = false;
  private accessControl = false;
  private updatedAt: Date;

  private constructor(
    readonly organizationId: string,
    readonly uuid: string,
    private readonly apiToken: string,
    name: string,
    private readonly createdAt: Date,
  ) {
    this.name = name;
    this.updatedAt = createdAt;
  }

  /** @throws TimezoneUnknown */
  static create(
    organizationId: string,
    identity: { readonly uuid: string; readonly apiToken: string },
    details: ProjectDetails & { readonly name: string },
    at: Date,
  ): Project {
    const project = new Project(organizationId, identity.uuid, identity.apiToken, details.name, at);
    project.change(details, Level.Owner, at);
    return project;
  }

  /**
   * @param by the caller's level in the organization; members may send back whether the project is private as it is
   * @throws OnlyAdminsSetPrivacy, TimezoneUnknown
   */
  change({ name, timezone, accessControl = this.accessControl }: ProjectDetails, by: Level, at: Date): void {
    if (accessControl !== this.accessControl && by < Level.Admin) throw new OnlyAdminsSetPrivacy();
    if (timezone !== undefined && timezone !== this.timezone && !isTimezone(timezone)) {
      throw new TimezoneUnknown(timezone);
    }
    this.accessControl = accessControl;
    this.name = name ?? this.name;
    this.timezone = timezone ?? this.timezone;
    this.updatedAt = at;
  }
}
