/** What a caller may set; absent fields stay as they are. */
export interface ProjectDetails {
  readonly name?: string;
  readonly timezone?: string;
}

/** A place for events within an organization, with its own actions and exports. */
export class Project {
  readonly id!: number;
  private name: string;
  private timezone: string;
  private readonly isDemo = false;
  private readonly completedSnippetOnboarding = false;
  private readonly ingestedEvent = false;
  private readonly accessControl = false;
  private updatedAt: Date;

  private constructor(
    readonly organizationId: string,
    readonly uuid: string,
    private readonly apiToken: string,
    details: ProjectDetails & { readonly name: string },
    private readonly createdAt: Date,
  ) {
    this.name = details.name;
    this.timezone = details.timezone ?? 'UTC';
    this.updatedAt = createdAt;
  }

  static create(
    organizationId: string,
    identity: { readonly uuid: string; readonly apiToken: string },
    details: ProjectDetails & { readonly name: string },
    at: Date,
  ): Project {
    return new Project(organizationId, identity.uuid, identity.apiToken, details, at);
  }
}
