import { Injectable } from '@nestjs/common';
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
    return this.change(id, (user) => user.deactivate());
  }

  /** The user's keys work again. @throws NobodyHasAddress */
  activate(email: string): Promise<UserListing> {
    return this.transaction.run(async () => this.change(await this.idOf(email), (user) => user.activate()));
  }

  private change(id: number, work: (user: User) => void): Promise<UserListing> {
    return this.transaction.run(async () => {
      const user = await this.users.get(id);
      work(user);
      await this.users.save(user);
      const listing = await this.queries.retrieve(id);
      if (!listing) throw new NotFound();
      return listing;
    });
  }
}
