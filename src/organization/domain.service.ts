import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog, type Snapshot, type Subject, snapshotOf } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { type DomainDetails, OrganizationDomain } from './domain/organization-domain';
import { TxtResolver } from './domain/txt-resolver';
import { OrganizationDomainQueries } from './persistence/organization-domain.queries';
import { OrganizationDomainRepository } from './persistence/organization-domain.repository';

@Injectable()
export class DomainService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly txt: TxtResolver,
    private readonly activity: ActivityLog,
    private readonly domains: OrganizationDomainRepository,
    private readonly queries: OrganizationDomainQueries,
  ) {}

  list(organizationId: string, window: PageWindow): Promise<Page> {
    return this.queries.list(organizationId, window);
  }

  /** @throws NotFound */
  retrieve(organizationId: string, id: string): Promise<Representation> {
    return this.queries.retrieve(organizationId, id);
  }

  /** SSO and JIT are not taken: a new domain is not verified (DOM-04). @throws DomainTaken */
  create(
    organizationId: string,
    details: DomainDetails & { readonly domain: string },
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const domain = OrganizationDomain.claim(uuidv7(), organizationId, details.domain, details);
      await this.domains.save(domain);
      const after = await this.queries.retrieve(organizationId, domain.id);
      await this.activity.created(...activityOf(organizationId, after));
      return after;
    });
  }

  /** @throws NotFound, VerificationRequired, SamlIncomplete, DomainTaken */
  update(organizationId: string, id: string, details: DomainDetails): Promise<Representation> {
    return this.change(organizationId, id, (domain) => domain.change(details));
  }

  /** @throws NotFound, VerificationRequired for another value of SSO or JIT, SamlIncomplete, DomainTaken */
  replace(organizationId: string, id: string, details: DomainDetails): Promise<Representation> {
    return this.change(organizationId, id, (domain) => domain.replace(details));
  }

  /** @throws NotFound */
  delete(organizationId: string, id: string): Promise<void> {
    return this.transaction.run(async () => {
      const domain = await this.domains.get(organizationId, id);
      const before = await this.queries.retrieve(organizationId, id);
      this.preconditions.check(before);
      await this.domains.remove(domain);
      await this.activity.deleted(...activityOf(organizationId, before));
    });
  }

  /**
   * Looks for the challenge in DNS; without it the domain stays as it is (DOM-16, DOM-17). No transaction is open
   * meanwhile: nobody waits for DNS.
   * @throws NotFound, AlreadyVerified
   */
  async verify(organizationId: string, id: string): Promise<Representation> {
    const { host } = await this.transaction.run(
      async () => (await this.domains.get(organizationId, id)).openChallenge,
    );
    const records = await this.txt.resolve(host);
    return this.change(
      organizationId,
      id,
      (domain) => domain.verify(host, records, this.clock.now()),
      'verified',
    );
  }

  private change(
    organizationId: string,
    id: string,
    work: (domain: OrganizationDomain) => void,
    what = 'updated',
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const domain = await this.domains.get(organizationId, id);
      const before = await this.queries.retrieve(organizationId, id);
      this.preconditions.check(before);
      work(domain);
      await this.domains.save(domain);
      const after = await this.queries.retrieve(organizationId, id);
      const [subject, fields] = activityOf(organizationId, after);
      await this.activity.updated(subject, snapshotOf(before), fields, what);
      return after;
    });
  }
}

function activityOf(organizationId: string, shown: Representation): readonly [Subject, Snapshot] {
  const fields = snapshotOf(shown);
  const subject = { organizationId, scope: 'OrganizationDomain', itemId: String(fields.id) };
  return [{ ...subject, name: String(fields.domain) }, fields];
}
