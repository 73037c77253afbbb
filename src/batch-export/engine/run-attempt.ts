import type { Clock } from '../../shared/domain/clock';
import type { DeliveryProgress } from '../domain/delivery';
import type { LogLevel } from '../domain/log-entry';
import type { RunProgress } from '../domain/run';
import { RunLost } from '../domain/run-errors';
import type { RunRepository } from '../persistence/run.repository';
import type { Claim } from './claim';
import { patiently } from './patience';
import type { RunLog } from './run-log';

/** In milliseconds: how often a worker says that it is alive, and looks whether the run is still its own. */
const HEARTBEAT = 1_000;
/** In milliseconds: for how long an attempt may come no further. */
const LONGEST_STANDSTILL = 600_000;
/** In milliseconds: how often the log of a long run tells how far it is. */
const LOG_INTERVAL = 60_000;

/** The attempt came no further for too long. */
export class Standstill extends Error {
  constructor() {
    super(`No progress for ${LONGEST_STANDSTILL / 60_000} minutes`);
  }
}

/** The process of the worker stops. */
export class WorkerStops extends Error {}

interface Surroundings {
  readonly clock: Clock;
  readonly runs: RunRepository;
  readonly log: RunLog;
  /** Makes the texts of writers fit to be shown. */
  readonly mask: (text: string) => string;
}

/** An attempt while it is made: how far it is, and whether it may go on. */
export class RunAttempt implements DeliveryProgress {
  private readonly abortion = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly begun: number;
  private readonly stop = () => this.abortion.abort(new WorkerStops('The worker stops'));
  private beating: Promise<void> | null = null;
  private records = 0;
  private bytes: number;
  private cursor: string | null;
  private total: number | null = null;
  private progressAt: number;
  private toldAt: number;

  constructor(
    private readonly claim: Claim,
    private readonly stopping: AbortSignal,
    private readonly around: Surroundings,
  ) {
    this.bytes = claim.run.progress.bytes;
    this.cursor = claim.run.reached;
    this.begun = this.progressAt = this.toldAt = around.clock.now().getTime();
    this.timer = setInterval(() => this.beat(), HEARTBEAT);
    if (stopping.aborted) this.stop();
    stopping.addEventListener('abort', this.stop);
  }

  /** Aborted when the attempt has to end; its reason is RunLost, Standstill or WorkerStops. */
  get signal(): AbortSignal {
    return this.abortion.signal;
  }

  get progress(): RunProgress {
    return { recordsCompleted: this.records, bytes: this.bytes, cursor: this.cursor };
  }

  /** In seconds, since the attempt began. */
  get duration(): number {
    return (this.around.clock.now().getTime() - this.begun) / 1000;
  }

  /**
   * How many records there are, and how many of them attempts before this one have delivered.
   * @throws RunLost
   */
  async expect(total: number, delivered: number): Promise<void> {
    this.total = total;
    this.records = delivered;
    this.comesFurther();
    await this.confirm();
  }

  wrote(records: number, bytes: number): void {
    this.records += records;
    this.bytes += bytes;
    this.comesFurther();
  }

  reached(cursor: string): void {
    this.cursor = cursor;
    this.comesFurther();
  }

  log(level: LogLevel, message: string): void {
    this.comesFurther();
    this.tell(level, this.around.mask(message));
  }

  async confirm(): Promise<void> {
    await patiently(() => this.advance(), this.stopping);
  }

  /** The heartbeat ends with the attempt. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.removeEventListener('abort', this.stop);
    await this.beating;
  }

  /** What is being read, and so on: not at a standstill. */
  comesFurther(): void {
    this.progressAt = this.around.clock.now().getTime();
  }

  private beat(): void {
    const now = this.around.clock.now().getTime();
    if (now - this.progressAt > LONGEST_STANDSTILL) this.abortion.abort(new Standstill());
    if (now - this.toldAt > LOG_INTERVAL) {
      this.toldAt = now;
      this.tell('INFO', `${this.records} of ${this.total ?? 'so far unknown'} records, ${this.bytes} bytes`);
    }
    this.beating ??= this.advance()
      .catch((error: unknown) => {
        // A database that does not answer now may answer the next time.
        if (error instanceof RunLost) this.abortion.abort(error);
      })
      .finally(() => {
        this.beating = null;
      });
  }

  private advance(): Promise<void> {
    const { id, attempt } = this.claim;
    return this.around.runs.advance(id, attempt, this.progress, this.total, this.around.clock.now());
  }

  /** Not waited for; what cannot be told now is not told. */
  private tell(level: LogLevel, message: string): void {
    this.around.log.tell(this.claim, level, message, this.around.clock.now()).catch(() => undefined);
  }
}
