import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Housekeeping } from './housekeeping';
import { RunTurns } from './run-turns';
import { Scheduler } from './scheduler';

/** In milliseconds. */
const SECOND = 1_000;
const MINUTE = 60_000;

interface Task {
  /** In milliseconds, from the end of one time to the beginning of the next. */
  readonly pause: number;
  readonly work: () => Promise<void>;
}

/** Has what time brings happen, in every process that executes jobs. */
@Injectable()
export class Ticker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Exports');
  private readonly stopping = new AbortController();
  private readonly tasks: readonly Task[];
  private loops: Promise<void>[] = [];

  constructor(
    private readonly settings: Settings,
    scheduler: Scheduler,
    housekeeping: Housekeeping,
    private readonly turns: RunTurns,
  ) {
    this.tasks = [
      { pause: SECOND, work: () => scheduler.tick() },
      { pause: 5 * SECOND, work: () => turns.signIn() },
      { pause: 10 * MINUTE, work: () => housekeeping.deleteOldLogEntries() },
      { pause: 60 * MINUTE, work: () => housekeeping.deleteOldRuns() },
    ];
  }

  onApplicationBootstrap(): void {
    if (this.settings.role === 'api') return;
    this.loops = this.tasks.map((task) => this.loop(task));
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.loops);
    // Else the others miss it after some seconds.
    if (this.loops.length > 0) await this.turns.signOut().catch(() => undefined);
  }

  private async loop({ pause, work }: Task): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await work();
      } catch (error) {
        // Such as a database that restarts: the next time finds what this one has left.
        this.logger.warn(
          `Not all that is due could be done: ${error instanceof Error ? error.message : error}`,
        );
      }
      await sleep(pause, signal);
    }
  }
}

/** Until the time is over, or the signal is aborted. */
async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener('abort', wake);
  });
}
