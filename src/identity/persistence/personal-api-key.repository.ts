import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Transaction } from '../../shared/persistence/transaction';
import { PersonalApiKey } from '../domain/personal-api-key';

@Injectable()
export class PersonalApiKeyRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Locks the key until the transaction ends. @throws NotFound for another user's key as well (KEY-11). */
  async get(userId: number, id: string): Promise<PersonalApiKey> {
    const key = await this.transaction.manager.findOne(PersonalApiKey, {
      where: { id, userId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!key) throw new NotFound();
    return key;
  }

  /** Anybody's. */
  async findById(id: string): Promise<PersonalApiKey | null> {
    return this.transaction.manager.findOneBy(PersonalApiKey, { id });
  }

  async find(userId: number, id: string): Promise<PersonalApiKey | null> {
    return this.transaction.manager.findOneBy(PersonalApiKey, { id, userId });
  }

  async countOf(userId: number): Promise<number> {
    return this.transaction.manager.countBy(PersonalApiKey, { userId });
  }

  async save(key: PersonalApiKey): Promise<void> {
    await this.transaction.manager.save(PersonalApiKey, key);
  }

  async remove(key: PersonalApiKey): Promise<void> {
    await this.transaction.manager.remove(PersonalApiKey, key);
  }
}
