import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Ambient } from '../shared/ambient/ambient';
import { Clock } from '../shared/domain/clock';
import type {
  NumberedPage,
  NumberedWindow,
  Page,
  PageWindow,
  Representation,
} from '../shared/domain/representation';
import { CurrentRequest } from '../shared/request/current-request';
import type { ActivityFilter } from './activity-filter';
import {
  type Activity,
  ActivityEntry,
  type Actor,
  type Subject,
  type Trigger,
} from './domain/activity-entry';
import { changesBetween, type Snapshot } from './domain/change';
import { ActivityQueries } from './persistence/activity.queries';
import { ActivityEntryRepository } from './persistence/activity-entry.repository';

/**
 * Who changed what. Entries are written in the transaction of the change, so that there is one exactly when there was
 * a change. Who did it is known from the request; what works without one says what it is with `triggeredBy`.
 */
@Injectable()
export class ActivityLog {
  private readonly stated = new Ambient<Actor>();

  constructor(
    private readonly clock: Clock,
    private readonly current: CurrentRequest,
    private readonly entries: ActivityEntryRepository,
    private readonly queries: ActivityQueries,
  ) {}

  async record(...activities: readonly Activity[]): Promise<void> {
    if (activities.length === 0) return;
    const [actor, now] = [this.actor(), this.clock.now()];
    await this.entries.add(activities.map((activity) => new ActivityEntry(uuidv7(), actor, activity, now)));
  }

  /** With all that the new thing has. */
  created(subject: Subject, after: Snapshot, activity = 'created'): Promise<void> {
    return this.record({ ...subject, activity, changes: changesBetween({}, after) });
  }

  /** Nothing when nothing changed. */
  async updated(subject: Subject, before: Snapshot, after: Snapshot, activity = 'updated'): Promise<void> {
    const changes = changesBetween(before, after);
    if (changes.length > 0) await this.record({ ...subject, activity, changes });
  }

  /** With all that the thing had. */
  deleted(subject: Subject, before: Snapshot, activity = 'deleted'): Promise<void> {
    return this.record({ ...subject, activity, changes: changesBetween(before, {}) });
  }

  /** Whatever `work` does was set off by this, and by no person. */
  triggeredBy<T>(trigger: Trigger, work: () => T): T {
    return this.stated.run({ userId: null, keyId: null, trigger }, work);
  }

  /** Whatever `work` does this user does, for whom there is no key yet. */
  by<T>(userId: number, work: () => T): T {
    return this.stated.run({ userId, keyId: null, trigger: null }, work);
  }

  /**
   * To be called when an organization has just been deleted: by then it has waited for all who were changing what is in
   * it, and so finds their entries. No foreign key does this, since they would have to wait for the organization.
   */
  forget(organizationId: string): Promise<void> {
    return this.entries.forget(organizationId);
  }

  /** Puts a mask over what the entries about one thing tell of some of its fields, because they became secret. */
  redact(
    of: { readonly scope: string; readonly itemId: string },
    fields: readonly string[],
    mask: string,
  ): Promise<void> {
    return this.entries.redact(of, fields, mask);
  }

  /**
   * The entries about things of one scope and type in an organization, newest first (PLUG-33), but those about what is
   * in private projects that the user does not see.
   */
  listOfKind(
    organizationId: string,
    userId: number,
    kind: { readonly scope: string; readonly type: string },
    window: NumberedWindow,
  ): Promise<NumberedPage> {
    return this.queries.listOfKind(organizationId, userId, kind, window);
  }

  /** The entries of an organization, newest first, but those that the user is not to see. */
  list(organizationId: string, userId: number, filter: ActivityFilter, window: PageWindow): Promise<Page> {
    return this.queries.list(organizationId, userId, filter, window);
  }

  private actor(): Actor {
    const principal = this.current.get()?.principal;
    return (
      this.stated.get() ?? {
        userId: principal?.userId ?? null,
        keyId: principal?.keyId ?? null,
        trigger: null,
      }
    );
  }
}

/** What a representation shows, but the fields that are left out because they tell of something else. */
export function snapshotOf({ json }: Representation, ...without: readonly string[]): Snapshot {
  const fields = JSON.parse(json) as Record<string, unknown>;
  for (const name of without) delete fields[name];
  return fields;
}
