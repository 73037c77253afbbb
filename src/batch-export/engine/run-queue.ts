import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { WorkLoop } from '../../shared/jobs/work-loop';
import type { Claim } from './claim';

interface Worker {
  /** Begins an attempt of the run that is next, if there is one; null when that is not possible now. */
  readonly take: (stopping: AbortSignal) => Promise<readonly Claim[] | null>;
  readonly execute: (claim: Claim, stopping: AbortSignal) => Promise<void>;
}

/** Has the runs executed that wait for a worker, as many at once as the process may (`EXPORT_CONCURRENCY`). */
@Injectable()
export class RunQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private loop: WorkLoop<Claim> | null = null;

  constructor(private readonly settings: Settings) {}

  /** Declares who executes runs, before the application has started. Not in a process of role `api`. */
  work({ take, execute }: Worker): void {
    const { signal } = this.stopping;
    this.loop = new WorkLoop({
      concurrency: this.settings.exportConcurrency,
      // One by one: each changes whose turn is next.
      take: () => take(signal),
      execute: (claim) => execute(claim, signal),
    });
  }

  /** To be called when the transaction that queued runs has ended. */
  nudge(): void {
    this.loop?.nudge();
  }

  onApplicationBootstrap(): void {
    if (this.settings.role !== 'api') this.loop?.start();
  }

  /** Takes no more runs, tells the attempts that are made to end, and waits until they have. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.loop?.stop();
  }
}
