import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Representation } from '../../shared/domain/representation';
import { violates } from '../../shared/persistence/database-errors';
import { EntityRow } from '../../shared/persistence/entity-row';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import type { Action } from '../domain/action';
import { ActionNameTaken } from '../domain/action-errors';
import { ACTION_JSON, CREATOR } from './action.queries';
import { ActionSchema } from './action.schema';

const ROW = new EntityRow<Action>(ActionSchema);

/** The row, locked, and its representation, in one step. */
const GET = new Statement<{ json: string } & Record<string, unknown>>(
  'action.get',
  `SELECT ${ROW.selected('a')}, ${ACTION_JSON} AS json
     FROM ${ROW.table} a ${CREATOR} WHERE a.project_id = $1 AND a.id = $2 FOR UPDATE OF a`,
);

const ADD = new Statement<{ id: number; json: string }>(
  'action.add',
  `WITH a AS (INSERT INTO ${ROW.table} ${ROW.inserted} ON CONFLICT (project_id, name) WHERE NOT deleted DO NOTHING RETURNING *)
   SELECT a.id, ${ACTION_JSON} AS json FROM a ${CREATOR}`,
);

const SAVE = new Statement<{ json: string }>(
  'action.save',
  `WITH a AS (UPDATE ${ROW.table} SET ${ROW.assigned} WHERE id = $${ROW.size + 1} RETURNING *)
   SELECT ${ACTION_JSON} AS json FROM a ${CREATOR}`,
);

const HOLDER_OF_NAME = new Statement<{ id: number }>(
  'action.holder_of_name',
  'SELECT id FROM actions WHERE project_id = $1 AND name = $2 AND NOT deleted AND id IS DISTINCT FROM $3',
);

/** Whoever took the name may give it up before we see who it is; not again and again. */
const TRIES = 5;

/** Actions are written often: each step is one statement, which also answers what the action looks like (ADR 24). */
@Injectable()
export class ActionRepository {
  /** The names that actions had claimed when they were read. */
  private readonly claims = new WeakMap<Action, string | null>();

  constructor(private readonly transaction: Transaction) {}

  /** Of the project, deleted or not, and as it is shown; locks it until the transaction ends. @throws NotFound */
  async get(projectId: number, id: number): Promise<{ action: Action; shown: Representation }> {
    const [row] = await this.transaction.write(GET, [projectId, id]);
    if (!row) throw new NotFound();
    const action = ROW.loaded(row);
    this.claims.set(action, action.claimedName);
    return { action, shown: new Representation(row.json) };
  }

  /** @returns the action as it is shown. @throws ActionNameTaken */
  async add(action: Action): Promise<Representation> {
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const [row] = await this.transaction.write(ADD, ROW.written(action));
      if (row) {
        Object.assign(action, { id: row.id });
        return new Representation(row.json);
      }
      await this.refuseTakenName(action);
    }
    throw new Error('The name of an action was taken and given up again and again');
  }

  /** Of an action that was got. @returns it as it is shown. @throws ActionNameTaken */
  async save(action: Action): Promise<Representation> {
    const isClaimed = this.claims.get(action) === action.claimedName;
    const shown = isClaimed ? await this.update(action) : await this.claim(action);
    this.claims.set(action, action.claimedName);
    return shown;
  }

  /**
   * The index decides who has a name. It is asked for first as well: two actions that swap their names at once would
   * otherwise wait for each other.
   */
  private async claim(action: Action): Promise<Representation> {
    for (let tries = 1; ; tries += 1) {
      await this.refuseTakenName(action);
      try {
        // After a violation the transaction must be able to ask who was faster.
        return await this.transaction.part(() => this.update(action));
      } catch (error) {
        if (tries === TRIES || !violates(error, 'actions_name_unique')) throw error;
      }
    }
  }

  private async update(action: Action): Promise<Representation> {
    const [row] = await this.transaction.write(SAVE, [...ROW.written(action), action.id]);
    if (!row) throw new NotFound();
    return new Representation(row.json);
  }

  private async refuseTakenName({ projectId, claimedName, id }: Action): Promise<void> {
    if (claimedName === null) return;
    const [holder] = await this.transaction.rows(HOLDER_OF_NAME, [projectId, claimedName, id ?? null]);
    if (holder) throw new ActionNameTaken(holder.id);
  }
}
