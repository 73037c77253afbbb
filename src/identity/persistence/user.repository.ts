import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { violates } from '../../shared/persistence/database-errors';
import { Transaction } from '../../shared/persistence/transaction';
import { AccountExists, User } from '../domain/user';

@Injectable()
export class UserRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * Locks the user until the transaction ends, but lets rows be made that refer to them: two transactions that have
   * each made one, such as a membership, and then come here would wait for one another.
   * @throws NotFound
   */
  async get(id: number): Promise<User> {
    const user = await this.transaction.manager.findOne(User, {
      where: { id },
      lock: { mode: 'for_no_key_update' },
    });
    if (!user) throw new NotFound();
    return user;
  }

  /** The account of an address, whatever the case it is written in. */
  async findByEmail(email: string): Promise<User | null> {
    return this.transaction.manager
      .createQueryBuilder(User, 'person')
      .where('lower(person.email) = lower(:email)', { email })
      .getOne();
  }

  /** @throws AccountExists */
  async save(user: User): Promise<void> {
    try {
      await this.transaction.manager.save(User, user);
    } catch (error) {
      if (violates(error, 'users_email_unique')) throw new AccountExists();
      throw error;
    }
  }
}
