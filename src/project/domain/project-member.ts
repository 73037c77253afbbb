import { Forbidden } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';

/** What can be given in a project: to see it, or to give access to it as well. */
export type AccessLevel = typeof Level.Member | typeof Level.Admin;
export const ACCESS_LEVELS: readonly AccessLevel[] = [Level.Member, Level.Admin];

/** A project, and the organization that it belongs to. */
export interface ProjectPlace {
  readonly organizationId: string;
  readonly projectId: number;
}

/** Only administrators of a project, and those of its organization, give access to it. */
export class OnlyAdminsGiveAccess extends Forbidden {
  constructor() {
    super('You do not have admin access to this resource.');
  }
}

/**
 * That a member of the organization was given access to one of its projects. It matters once the project is private:
 * others are seen by every member, and administrators of the organization see all.
 */
export class ProjectMember {
  readonly projectId: number;
  readonly organizationId: string;
  private updatedAt: Date;

  private constructor(
    { organizationId, projectId }: ProjectPlace,
    readonly userId: number,
    private level: AccessLevel,
    private readonly createdAt: Date,
  ) {
    this.organizationId = organizationId;
    this.projectId = projectId;
    this.updatedAt = createdAt;
  }

  static admit(place: ProjectPlace, userId: number, level: AccessLevel, at: Date): ProjectMember {
    return new ProjectMember(place, userId, level, at);
  }

  changeLevel(level: AccessLevel, at: Date): void {
    this.level = level;
    this.updatedAt = at;
  }
}
