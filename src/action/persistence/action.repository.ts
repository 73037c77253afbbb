import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
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
  /** The names that actions had claimed when they were read. */
  private readonly claims = new WeakMap<Action, string | null>();

  constructor(private readonly transaction: Transaction) {}

  /** Of the project, deleted or not; locks it until the transaction ends. @throws NotFound */
  async get(projectId: number, id: number): Promise<Action> {
    const action = await this.transaction.manager.findOne(Action, {
      where: { id, projectId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!action) throw new NotFound();
    this.claims.set(action, action.claimedName);
    return action;
  }

  /** @throws ActionNameTaken */
  async add(action: Action): Promise<void> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const inserted = await this.transaction.manager
        .createQueryBuilder()
        .insert()
        .into(Action)
        .values({ ...action } as object)
        .orIgnore()
        .returning('id')
        .execute();
      const [row] = inserted.raw as { id: number }[];
      if (row) {
        Object.assign(action, row);
        return;
      }
      await this.refuseTakenName(action);
    }
    throw new Error('The name of an action was taken and given up again and again');
  }

  /** Of an action that was got. @throws ActionNameTaken */
  async save(action: Action): Promise<void> {
    if (this.claims.get(action) === action.claimedName) await this.update(this.transaction.manager, action);
    else await this.claim(action);
    this.claims.set(action, action.claimedName);
  }

  /**
   * The index decides who has a name. It is asked for first as well: two actions that swap their names at once would
   * otherwise wait for each other.
   */
  private async claim(action: Action): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      await this.refuseTakenName(action);
      try {
        // A savepoint: after a violation the transaction must be able to ask who was faster.
        await this.transaction.manager.transaction((manager) => this.update(manager, action));
        return;
      } catch (error) {
        if (tries === TRIES || !violates(error, 'actions_name_unique')) throw error;
      }
    }
  }

  /** Without reading it again, as TypeORM's own `save` does. */
  private async update(manager: EntityManager, { id, ...fields }: Action): Promise<void> {
    await manager.update(Action, { id }, fields as object);
  }

  private async refuseTakenName({ projectId, claimedName, id }: Action): Promise<void> {
    if (claimedName === null) return;
    const [holder] = await this.transaction.rows(HOLDER_OF_NAME, [projectId, claimedName, id ?? null]);
    if (holder) throw new ActionNameTaken(holder.id);
  }
}
