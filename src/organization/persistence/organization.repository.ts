import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { violates } from '../../shared/persistence/database-errors';
import { Transaction } from '../../shared/persistence/transaction';
import { Organization } from '../domain/organization';

const SLUG_TRIES = 10;

@Injectable()
export class OrganizationRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Locks the organization until the transaction ends. @throws NotFound */
  async get(id: string): Promise<Organization> {
    const organization = await this.transaction.manager.findOne(Organization, {
      where: { id },
      lock: { mode: 'pessimistic_write' },
    });
    if (!organization) throw new NotFound();
    return organization;
  }

  /** Stores a new organization under a slug that nobody has (ORG-12). */
  async add(organization: Organization): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        // After a collision the transaction must be able to go on.
        await this.transaction.part(() => this.transaction.manager.insert(Organization, { ...organization }));
        return;
      } catch (error) {
        if (tries === SLUG_TRIES || !violates(error, 'organizations_slug_unique')) throw error;
        organization.takeAnotherSlug();
      }
    }
  }

  async save(organization: Organization): Promise<void> {
    await this.transaction.manager.save(Organization, organization);
  }

  /** Everything under it goes with it, by the foreign keys (D22). */
  async remove(organization: Organization): Promise<void> {
    await this.transaction.takeTime();
    await this.transaction.manager.delete(Organization, { id: organization.id });
  }
}
