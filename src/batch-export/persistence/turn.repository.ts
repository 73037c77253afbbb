import { Injectable } from '@nestjs/common';
import { Transaction } from '../../shared/persistence/transaction';
import type { Occupancy, Turn } from '../domain/turns';
import { NO_ID } from './run.statements';
import { LOCK, NEXT, OCCUPANCY, SIGN_IN, SIGN_OUT, SIGN_OUT_SILENT } from './turn.statements';

/** A process that executes runs. */
export interface Worker {
  readonly id: string;
  /** How many runs it executes at once. */
  readonly slots: number;
}

/** The run whose turn it is, and the organization that is served by it. */
export interface Served {
  readonly runId: string;
  readonly organizationId: string;
}

@Injectable()
export class TurnRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * Has all other claims wait until the transaction ends.
   * @param seenSince processes that were not seen since are dead
   */
  async occupancy(worker: Worker, seenSince: Date): Promise<Occupancy> {
    await this.transaction.write(LOCK, []);
    const [row] = await this.transaction.rows(OCCUPANCY, [worker.id, worker.slots, seenSince]);
    return row ?? { slots: worker.slots, running: [], exporting: [] };
  }

  /**
   * Locks the run that is next until the transaction ends: organizations take turns in the order of their ids; within
   * one, it is of the project that holds the fewest slots, and was queued first.
   * @param after the organization that was served last, or null
   */
  async next(turn: Turn, { running }: Occupancy, after: string | null): Promise<Served | null> {
    const projects = [running.map(({ projectId }) => projectId), running.map(({ runs }) => runs)];
    for (const first of after === null ? [NO_ID] : [after, NO_ID]) {
      for (let last: string | undefined = first; last !== undefined; ) {
        const values: unknown[] = [last, turn.notOrganizations, ...projects, turn.notProjects];
        const [row] = await this.transaction.rows(NEXT[turn.kind], values);
        if (row?.id) return { runId: row.id, organizationId: row.organizationId };
        last = row?.organizationId;
      }
    }
    return null;
  }

  /** Tells that a process executes runs. */
  async signIn({ id, slots }: Worker, at: Date): Promise<void> {
    await this.transaction.rows(SIGN_IN, [id, slots, at]);
  }

  async signOut({ id }: Worker): Promise<void> {
    await this.transaction.rows(SIGN_OUT, [id]);
  }

  /** Forgets processes that were not seen since. */
  async signOutSilent(since: Date): Promise<void> {
    await this.transaction.rows(SIGN_OUT_SILENT, [since]);
  }
}
