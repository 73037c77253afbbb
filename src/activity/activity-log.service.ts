import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Clock } from '../shared/domain/clock';
import type { NumberedPage, NumberedWindow } from '../shared/domain/representation';
import { type Activity, ActivityEntry, type Actor } from './domain/activity-entry';
import { ActivityQueries } from './persistence/activity.queries';
import { ActivityEntryRepository } from './persistence/activity-entry.repository';

/** Who changed what. */
@Injectable()
export class ActivityLog {
  constructor(
    private readonly clock: Clock,
    private readonly entries: ActivityEntryRepository,
    private readonly queries: ActivityQueries,
  ) {}

  /** Writes in the transaction of the change, so that there is an entry exactly when there was a change. */
  record(actor: Actor, activity: Activity): Promise<void> {
    return this.entries.add(new ActivityEntry(uuidv7(), actor, activity, this.clock.now()));
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
  list(
    organizationId: string,
    userId: number,
    kind: { readonly scope: string; readonly type: string },
    window: NumberedWindow,
  ): Promise<NumberedPage> {
    return this.queries.list(organizationId, userId, kind, window);
  }
}
