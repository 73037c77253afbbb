import { Injectable } from '@nestjs/common';
import { Transaction } from '../../shared/persistence/transaction';
import { ActivityEntry } from '../domain/activity-entry';

@Injectable()
export class ActivityEntryRepository {
  constructor(private readonly transaction: Transaction) {}

  async add(entry: ActivityEntry): Promise<void> {
    await this.transaction.manager.insert(ActivityEntry, { ...entry });
  }
}
