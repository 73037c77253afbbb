import { Injectable } from '@nestjs/common';
import { Clock } from '../shared/domain/clock';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import { Preconditions } from '../shared/request/preconditions';
import { Action, type ActionDetails } from './domain/action';
import { regexCompiler } from './matching/regex';
import { ActionQueries } from './persistence/action.queries';
import { ActionRepository } from './persistence/action.repository';

@Injectable()
export class ActionService {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly preconditions: Preconditions,
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
    projectId: number,
    creatorId: number,
    details: ActionDetails & { readonly name: string },
  ): Promise<Representation> {
    return this.transaction.run(async () => {
      const action = Action.define(projectId, creatorId, details, this.clock.now(), regexCompiler());
      await this.actions.save(action);
      return this.queries.retrieve(projectId, action.id);
    });
  }

  /** A deleted one as well, which may restore it. @throws NotFound, ActionNameTaken */
  update(projectId: number, id: number, details: ActionDetails): Promise<Representation> {
    return this.transaction.run(async () => {
      const action = await this.actions.get(projectId, id);
      await this.preconditions.check(() => this.queries.retrieve(projectId, id));
      action.change(details, this.clock.now(), regexCompiler());
      await this.actions.save(action);
      return this.queries.retrieve(projectId, id);
    });
  }
}
