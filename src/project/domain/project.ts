import { isTimezone, TimezoneUnknown } from './timezone';

/** What a caller may set; absent fields stay as they are. */
export interface ProjectDetails {
  readonly name?: string;
  readonly timezone?: string;
}

/** A place for events within an organization, with its own actions and exports. */
export class Project {
  readonly id!: number;
  private name: string;
  private timezone = 'UTC';
  private readonly isDemo = false;
  private readonly completedSnippetOnboarding = false;
  private readonly ingestedEvent = false;
  private readonly accessControl = false;
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
    project.change(details, at);
    return project;
  }

  /** @throws TimezoneUnknown */
  change({ name, timezone }: ProjectDetails, at: Date): void {
    if (timezone !== undefined && timezone !== this.timezone && !isTimezone(timezone)) {
      throw new TimezoneUnknown(timezone);
    }
    this.name = name ?? this.name;
    this.timezone = timezone ?? this.timezone;
    this.updatedAt = at;
  }
}
