import { Injectable } from '@nestjs/common';
import { ActivityLog } from '../activity/index';
import { type Principal, UserRepository } from '../identity/index';
import type { Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { activitiesOf } from './account-activity';
import { type Destination, OrganizationNotYours, ProjectElsewhere, ProjectNotYours } from './domain/current';
import { AccountQueries } from './persistence/account.queries';

/** What callers may change of themselves; absent fields stay as they are. */
export interface AccountChange extends Destination {
  readonly firstName?: string;
  readonly lastName?: string;
}

@Injectable()
export class AccountService {
  constructor(
    private readonly transaction: Transaction,
    private readonly preconditions: Preconditions,
    private readonly activity: ActivityLog,
    private readonly users: UserRepository,
    private readonly queries: AccountQueries,
  ) {}

  retrieve(userId: number): Promise<Representation> {
    return this.queries.retrieve(userId);
  }

  /**
   * Without a project, the oldest one of an organization that they see becomes the current one.
   * @throws OrganizationNotYours, ProjectNotYours (ME-04), ProjectElsewhere; Forbidden when the key is restricted
   * and does not reach the destination
   */
  update(caller: Principal, change: AccountChange): Promise<Representation> {
    return this.transaction.run(async () => {
      // Before the user: whoever deletes an organization or project locks it first, then those who are in it.
      const destination = await this.reach(caller, change);
      const user = await this.users.get(caller.userId);
      const before = await this.queries.retrieve(caller.userId);
      this.preconditions.check(before);
      user.rename(change);
      if (destination) user.enter(destination.organizationId, destination.projectId);
      await this.users.save(user);
      const after = await this.queries.retrieve(caller.userId);
      await this.activity.record(...activitiesOf(before, after));
      return after;
    });
  }

  private async reach(
    caller: Principal,
    { organizationId, projectId }: Destination,
  ): Promise<{ organizationId: string; projectId: number | null } | null> {
    if (
      organizationId !== undefined &&
      !(await this.queries.holdOrganization(caller.userId, organizationId))
    ) {
      throw new OrganizationNotYours(organizationId);
    }
    if (projectId !== undefined) {
      const home = await this.queries.holdProject(caller.userId, projectId);
      if (home === null) throw new ProjectNotYours(projectId);
      if (organizationId !== undefined && organizationId !== home) throw new ProjectElsewhere();
      caller.mustReachProject(projectId, home);
      return { organizationId: home, projectId };
    }
    if (organizationId === undefined) return null;
    caller.mustReachOrganization(organizationId);
    // No project of their own choice stands for the oldest one that they see (`currentOf` in identity).
    return { organizationId, projectId: null };
  }
}
