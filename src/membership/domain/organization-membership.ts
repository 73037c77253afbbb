import type { Level } from '../../shared/domain/level';

/** That a user belongs to an organization, and how far their word goes there. */
export class OrganizationMembership {
  private updatedAt: Date;

  private constructor(
    readonly id: string,
    readonly organizationId: string,
    readonly userId: number,
    private level: Level,
    private readonly joinedAt: Date,
  ) {
    this.updatedAt = joinedAt;
  }

  static join(
    id: string,
    organizationId: string,
    userId: number,
    level: Level,
    at: Date,
  ): OrganizationMembership {
    return new OrganizationMembership(id, organizationId, userId, level, at);
  }
}
