import { Injectable } from '@nestjs/common';
import { ActivityLog } from '../activity/index';
import { NotFound } from '../shared/domain/domain-error';
import { Transaction } from '../shared/persistence/transaction';
import { NobodyHasAddress, type User } from './domain/user';
import { UserRepository } from './persistence/user.repository';
import { UserAdministrationQueries, type UserListing } from './persistence/user-administration.queries';

/** Everybody, for the operator. */
@Injectable()
export class UserAdministration {
  constructor(
    private readonly transaction: Transaction,
    private readonly activity: ActivityLog,
    private readonly users: UserRepository,
    private readonly queries: UserAdministrationQueries,
  ) {}

  /** The members of an organization, or all users. */
  list(organizationId: string | null): Promise<UserListing[]> {
    return this.queries.list(organizationId);
  }

  /** @throws NobodyHasAddress */
  idOf(email: string): Promise<number> {
    return this.transaction.run(async () => {
      const user = await this.users.findByEmail(email);
      if (!user) throw new NobodyHasAddress(email);
      return user.id;
    });
  }

  /**
   * None of the user's keys lets anybody in any more, at once (D11). Not for the operator as it is: whom
   * organizations cannot do without, `MembershipService.deactivate` knows (D19).
   * @throws NotFound
   */
  deactivate(id: number): Promise<UserListing> {
    return this.change(id, 'deactivated', (user) => user.deactivate());
  }

  /** The user's keys work again. @throws NobodyHasAddress */
  activate(email: string): Promise<UserListing> {
    return this.transaction.run(async () =>
      this.change(await this.idOf(email), 'activated', (user) => user.activate()),
    );
  }

  /** Each organization of the user is told. */
  private change(id: number, activity: string, work: (user: User) => void): Promise<UserListing> {
    return this.transaction.run(async () => {
      const user = await this.users.get(id);
      const before = await this.listing(id);
      work(user);
      await this.users.save(user);
      const after = await this.listing(id);
      const { uuid, email } = user;
      for (const { id: organizationId } of after.organizations) {
        await this.activity.updated(
          { organizationId, scope: 'User', itemId: uuid, name: email },
          { is_active: before.is_active },
          { is_active: after.is_active },
          activity,
        );
      }
      return after;
    });
  }

  private async listing(id: number): Promise<UserListing> {
    const listing = await this.queries.retrieve(id);
    if (!listing) throw new NotFound();
    return listing;
  }
}
