import { Injectable } from '@nestjs/common';
import { ActivityLog } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import { Invalid, NotFound } from '../shared/domain/domain-error';
import type { PluginsAccess } from '../shared/domain/level';
import { jsonObjectCheck } from '../shared/http/fields/index';
import { Transaction } from '../shared/persistence/transaction';
import type { Organization } from './domain/organization';
import { OrganizationRepository } from './persistence/organization.repository';
import {
  OrganizationAdministrationQueries,
  type OrganizationListing,
} from './persistence/organization-administration.queries';

/** Every organization, for the operator, who names one by its id or its slug. */
@Injectable()
export class OrganizationAdministration {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly activity: ActivityLog,
    private readonly organizations: OrganizationRepository,
    private readonly queries: OrganizationAdministrationQueries,
  ) {}

  list(): Promise<OrganizationListing[]> {
    return this.queries.list();
  }

  /** @throws NotFound */
  async idOf(name: string): Promise<string> {
    const id = await this.queries.idOf(name);
    if (id === null) throw new NotFound(`There is no organization with the id or slug ${name}.`);
    return id;
  }

  /** What the organization may do with plugins, from now on (D15). @throws NotFound */
  setPluginsAccess(name: string, level: PluginsAccess): Promise<OrganizationListing> {
    return this.change(name, (organization, at) => organization.grantPluginsAccess(level, at));
  }

  /** Takes the place of the metadata that there was. @throws NotFound, Invalid when it is no JSON object */
  async setMetadata(name: string, metadata: unknown): Promise<OrganizationListing> {
    const wrong = jsonObjectCheck(metadata);
    if (wrong) throw new Invalid('metadata', wrong.code, wrong.detail);
    return this.change(name, (organization, at) =>
      organization.describe(metadata as Record<string, unknown>, at),
    );
  }

  private change(
    name: string,
    work: (organization: Organization, at: Date) => void,
  ): Promise<OrganizationListing> {
    return this.transaction.run(async () => {
      const organization = await this.organizations.get(await this.idOf(name));
      const before = await this.listing(organization.id);
      work(organization, this.clock.now());
      await this.organizations.save(organization);
      const after = await this.listing(organization.id);
      const { id } = organization;
      const subject = { organizationId: id, scope: 'Organization', itemId: id, name: after.name };
      await this.activity.updated(subject, { ...before }, { ...after });
      return after;
    });
  }

  private async listing(id: string): Promise<OrganizationListing> {
    const listing = await this.queries.retrieve(id);
    if (!listing) throw new NotFound();
    return listing;
  }
}
