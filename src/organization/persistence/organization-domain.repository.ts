import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { violates } from '../../shared/persistence/database-errors';
import { Transaction } from '../../shared/persistence/transaction';
import { OrganizationDomain } from '../domain/organization-domain';
import { DomainTaken } from '../domain/organization-domain.errors';

@Injectable()
export class OrganizationDomainRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Locks the domain until the transaction ends. @throws NotFound for another organization's as well */
  async get(organizationId: string, id: string): Promise<OrganizationDomain> {
    const domain = await this.transaction.manager.findOne(OrganizationDomain, {
      where: { id, organizationId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!domain) throw new NotFound();
    return domain;
  }

  /** @throws DomainTaken */
  async save(domain: OrganizationDomain): Promise<void> {
    try {
      await this.transaction.manager.save(OrganizationDomain, domain);
    } catch (error) {
      throw violates(error, 'organization_domains_domain_unique') ? new DomainTaken() : error;
    }
  }

  async remove(domain: OrganizationDomain): Promise<void> {
    await this.transaction.manager.delete(OrganizationDomain, { id: domain.id });
  }
}
