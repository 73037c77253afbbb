import { DomainEvent } from '../../shared/domain/domain-events';
import type { Level } from '../../shared/domain/level';

/** A user founded an organization: they become its owner and it gets its first project (ORG-08, ORG-09). */
export class OrganizationFounded extends DomainEvent {
  constructor(
    readonly organizationId: string,
    readonly founderId: number,
  ) {
    super();
  }
}

/** A user became a member by an invite, which may have promised them access to private projects (SIGN-14). */
export class InviteAccepted extends DomainEvent {
  constructor(
    readonly organizationId: string,
    readonly userId: number,
    /** Who promised it; null when that user exists no more. */
    readonly inviterId: number | null,
    /** Ids of projects, each once, and the level in it. */
    readonly access: readonly {
      readonly id: number;
      readonly level: typeof Level.Member | typeof Level.Admin;
    }[],
  ) {
    super();
  }
}
