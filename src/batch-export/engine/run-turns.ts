import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Settings } from '../../config/settings';
import { Clock } from '../../shared/domain/clock';
import { LONGEST_SILENCE } from '../domain/run';
import { type RunKind, turnsAt } from '../domain/turns';
import { TurnRepository, type Worker } from '../persistence/turn.repository';

/** Says whose turn it is when a slot of this process is free, and tells the others how many it has. */
@Injectable()
export class RunTurns {
  private readonly worker: Worker;
  /** The organization of the run that was begun last. */
  private readonly served: Record<RunKind, string | null> = { schedule: null, backfill: null };
  private scheduledInARow = 0;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
    private readonly turns: TurnRepository,
  ) {
    this.worker = { id: uuidv7(), slots: settings.exportConcurrency };
  }

  /** Within a transaction: locks the run that is next until it ends. @returns its id, or null */
  async next(): Promise<string | null> {
    const occupancy = await this.turns.occupancy(this.worker, this.deadSince());
    for (const turn of turnsAt(occupancy, this.scheduledInARow)) {
      const served = await this.turns.next(turn, occupancy, this.served[turn.kind]);
      if (!served) continue;
      this.served[turn.kind] = served.organizationId;
      this.scheduledInARow = turn.kind === 'schedule' ? this.scheduledInARow + 1 : 0;
      return served.runId;
    }
    return null;
  }

  async signIn(): Promise<void> {
    await this.turns.signIn(this.worker, this.clock.now());
    await this.turns.signOutSilent(this.deadSince());
  }

  async signOut(): Promise<void> {
    await this.turns.signOut(this.worker);
  }

  private deadSince(): Date {
    return new Date(this.clock.now().getTime() - LONGEST_SILENCE);
  }
}
