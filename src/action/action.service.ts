import { Injectable } from '@nestjs/common';
import { ActivityLog, type Snapshot, type Subject, snapshotOf } from '../activity/index';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { Action, type ActionDetails } from './domain/action';
import { regexCompiler } from './matching/regex';
import { ActionQueries } from './persistence/action.queries';
import { ActionRepository } from './persistence/action.repository';

/** Where an action is. */
export interface ActionPlace {
  readonly organizationId: string;
  readonly projectId: number;
}

@Injectable()
export class ActionService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
    private readonly activity: ActivityLog,
    private readonly actions: ActionRepository,
    private readonly queries: ActionQueries,
  ) {}

  list(projectId: number, window: PageWindow): Promise<Page> {
    return this.queries.list(projectId, window);
  }

  /** A deleted one as well. @throws NotFound */
  retrieve(projectId: number, id: number): Promise<Representation> {
    return this.queries.retrieve(projectId, id);
  }

  /** @throws ActionNameTaken */
  create(
    place: ActionPlace,
    creatorId: number,
    details: ActionDetails & { readonly name: string },
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const { projectId } = place;
      const action = Action.define(projectId, creatorId, details, this.clock.now(), regexCompiler());
      const after = await this.actions.add(action);
      const fields = snapshotOf(after);
      await this.activity.created(subjectOf(place, fields), fields);
      return after;
    });
  }

  /** A deleted one as well, which may restore it. @throws NotFound, ActionNameTaken */
  update(place: ActionPlace, id: number, details: ActionDetails): Promise<Representation> {
    return this.transaction.run(async () => {
      const { projectId } = place;
      const { action, shown: before } = await this.actions.get(projectId, id);
      this.preconditions.check(before);
      action.change(details, this.clock.now(), regexCompiler());
      const after = await this.actions.save(action);
      const [from, to] = [snapshotOf(before), snapshotOf(after)];
      await this.activity.updated(subjectOf(place, to), from, to, doneTo(from, to));
      return after;
    });
  }
}

const subjectOf = (place: ActionPlace, { id, name }: Snapshot): Subject => ({
  ...place,
  scope: 'Action',
  itemId: String(id),
  name: String(name),
});

function doneTo(before: Snapshot, after: Snapshot): string {
  if (before.deleted === after.deleted) return 'updated';
  return after.deleted ? 'deleted' : 'restored';
}
