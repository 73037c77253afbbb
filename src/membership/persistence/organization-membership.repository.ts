import { Injectable } from '@nestjs/common';
import { Transaction } from '../../shared/persistence/transaction';
import { OrganizationMembership } from '../domain/organization-membership';

@Injectable()
export class OrganizationMembershipRepository {
  constructor(private readonly transaction: Transaction) {}

  async save(membership: OrganizationMembership): Promise<void> {
    await this.transaction.manager.save(OrganizationMembership, membership);
  }
}
