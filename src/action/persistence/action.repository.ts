import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { violates } from '../../shared/persistence/database-errors';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { Action } from '../domain/action';
import { ActionNameTaken } from '../domain/action-errors';

const HOLDER_OF_NAME = new Statement<{ id: number }>(
  'action.holder_of_name',
  'SELECT id FROM actions WHERE project_id = $1 AND name = $2 AND NOT deleted AND id IS DISTINCT FROM $3',
);

/** Whoever took the name may give it up before we see who it is; not again and again. */
const TRIES = 5;

@Injectable()
export class ActionRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Of the project, deleted or not; locks it until the transaction ends. @throws NotFound */
  async get(projectId: number, id: number): Promise<Action> {
    const action = await this.transaction.manager.findOne(Action, {
      where: { id, projectId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!action) throw new NotFound();
    return action;
  }

  /**
   * The index decides who has a name. It is asked for first as well: two actions that swap their names at once would
   * otherwise wait for each other.
   * @throws ActionNameTaken
   */
  async save(action: Action): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.refuseTakenName(action);
      try {
        // A savepoint: after a violation the transaction must be able to ask who was faster.
        await this.transaction.manager.transaction((manager) => manager.save(Action, action));
        return;
      } catch (error) {
        if (tries === TRIES || !violates(error, 'actions_name_unique')) throw error;
      }
    }
  }

  private async refuseTakenName({ projectId, claimedName, id }: Action): Promise<void> {
    if (claimedName === null) return;
    const [holder] = await this.transaction.rows(HOLDER_OF_NAME, [projectId, claimedName, id ?? null]);
    if (holder) throw new ActionNameTaken(holder.id);
  }
}
