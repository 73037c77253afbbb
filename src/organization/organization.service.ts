import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { ActivityLog, type Snapshot, type Subject, snapshotOf } from '../activity/index';
import { knownScopes } from '../identity/index';
import { Clock } from '../shared/domain/clock';
import { DomainEvents } from '../shared/domain/domain-events';
import type { PluginsAccess } from '../shared/domain/level';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { Organization, type OrganizationDetails } from './domain/organization';
import { OrganizationFounded } from './domain/organization.events';
import { OrganizationQueries } from './persistence/organization.queries';
import { OrganizationRepository } from './persistence/organization.repository';

@Injectable()
export class OrganizationService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly events: DomainEvents,
    private readonly activity: ActivityLog,
    private readonly organizations: OrganizationRepository,
    private readonly queries: OrganizationQueries,
  ) {}

  list(userId: number, ids: readonly string[], window: PageWindow): Promise<Page> {
    return this.queries.list(userId, ids, window);
  }

  retrieve(userId: number, id: string): Promise<Representation> {
    return this.queries.retrieve(userId, id);
  }

  /**
   * The founder becomes owner, a default project is made, and both become the founder's current ones (ORG-08/09).
   * @throws ScopesMissing, ScopeUnknown
   */
  create(
    founderId: number,
    details: OrganizationDetails & { readonly name: string },
    pluginsAccessLevel?: PluginsAccess,
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const now = this.clock.now();
      const organization = Organization.found(uuidv7(), details.name, now, pluginsAccessLevel);
      organization.change(checked(details), now);
      await this.organizations.add(organization);
      await this.events.publish(new OrganizationFounded(organization.id, founderId));
      const after = await this.queries.retrieve(founderId, organization.id);
      await this.activity.created(...activityOf(after));
      return after;
    });
  }

  /** @throws NotFound, ScopesMissing, ScopeUnknown */
  update(userId: number, id: string, details: OrganizationDetails): Promise<Representation> {
    return this.transaction.run(async () => {
      const organization = await this.organizations.get(id);
      const before = await this.queries.retrieve(userId, id);
      this.preconditions.check(before);
      organization.change(checked(details), this.clock.now());
      await this.organizations.save(organization);
      const after = await this.queries.retrieve(userId, id);
      const [subject, fields] = activityOf(after);
      await this.activity.updated(subject, activityOf(before)[1], fields);
      return after;
    });
  }

  /** Deletes everything under it as well, its activity too, in the same transaction (D22). @throws NotFound */
  delete(userId: number, id: string): Promise<void> {
    return this.transaction.run(async () => {
      const organization = await this.organizations.get(id);
      this.preconditions.check(await this.queries.retrieve(userId, id));
      await this.organizations.remove(organization);
      await this.activity.forget(id);
    });
  }
}

/** What is told of the organization itself; its projects and members have entries of their own. */
function activityOf(shown: Representation): readonly [Subject, Snapshot] {
  const fields = snapshotOf(shown, 'membership_level', 'teams', 'available_product_features', 'member_count');
  const id = String(fields.id);
  return [{ organizationId: id, scope: 'Organization', itemId: id, name: String(fields.name) }, fields];
}

function checked({ maxKeyScopes, ...others }: OrganizationDetails): OrganizationDetails {
  return { ...others, maxKeyScopes: maxKeyScopes && knownScopes(maxKeyScopes, 'max_key_scopes') };
}
