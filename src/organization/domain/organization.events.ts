import { DomainEvent } from '../../shared/domain/domain-events';

/** A user founded an organization: they become its owner and it gets its first project (ORG-08, ORG-09). */
export class OrganizationFounded extends DomainEvent {
  constructor(
    readonly organizationId: string,
    readonly founderId: number,
  ) {
    super();
  }
}
