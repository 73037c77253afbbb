import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Transaction } from '../../shared/persistence/transaction';
import { User } from '../domain/user';

@Injectable()
export class UserRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Locks the user until the transaction ends. @throws NotFound */
  async get(id: number): Promise<User> {
    const user = await this.transaction.manager.findOne(User, {
      where: { id },
      lock: { mode: 'pessimistic_write' },
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

  async save(user: User): Promise<void> {
    await this.transaction.manager.save(User, user);
  }
}
