import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EventStore, type Selection } from '../../event/index';
import { Clock } from '../../shared/domain/clock';
import { DomainError, NotFound } from '../../shared/domain/domain-error';
import { isDatabaseUnavailable, isRefusedValue } from '../../shared/persistence/database-errors';
import { SecretBox } from '../../shared/secrets/secret-box';
import { DestinationWriters } from '../destinations/destination-writers';
import type { BatchExport } from '../domain/batch-export';
import { type Delivery, DeliveryFailed } from '../domain/delivery';
import type { Destination } from '../domain/destination';
import { inWords } from '../domain/destination-words';
import { masking } from '../domain/masking';
import type { RunStatus } from '../domain/run';
import { RunLost } from '../domain/run-errors';
import { RunRepository } from '../persistence/run.repository';
import type { Claim } from './claim';
import { patiently } from './patience';
import { RunAttempt, Standstill, WorkerStops } from './run-attempt';
import { RunLog } from './run-log';
import { RunMetrics } from './run-metrics';
import { RunQueue } from './run-queue';
import { RunRecords } from './run-records';
import { NotStarted, RunTransitions } from './run-transitions';

/** In milliseconds: how long a writer may take to end after it was told to. */
const GRACE = 4_000;

/** Executes the runs that wait. */
@Injectable()
export class RunWorker implements OnModuleInit {
  private readonly logger = new Logger('Exports');

  constructor(
    private readonly clock: Clock,
    private readonly vault: SecretBox,
    private readonly events: EventStore,
    private readonly writers: DestinationWriters,
    private readonly runs: RunRepository,
    private readonly queue: RunQueue,
    private readonly transitions: RunTransitions,
    private readonly log: RunLog,
    private readonly metrics: RunMetrics,
  ) {}

  onModuleInit(): void {
    this.queue.work({
      take: () => this.take(),
      execute: (claim, stopping) => this.attempt(claim, stopping).catch((error) => this.logger.error(error)),
    });
  }

  private async take(): Promise<readonly Claim[] | null> {
    try {
      const claim = await this.transitions.startNext(wordsOf);
      return claim ? [claim] : [];
    } catch (error) {
      // The project may be deleted at any moment: its exports and their runs are gone then.
      if (error instanceof NotFound) return [];
      if (error instanceof NotStarted) {
        this.logger.error(error);
        return [];
      }
      this.logger.warn(`No runs can be started now: ${error instanceof Error ? error.message : error}`);
      return null;
    }
  }

  private async attempt(claim: Claim, stopping: AbortSignal): Promise<void> {
    const { batchExport } = claim;
    const mask = masking(this.secretsOf(batchExport));
    const { clock, runs, log } = this;
    const attempt = new RunAttempt(claim, stopping, { clock, runs, log, mask });
    const records = new RunRecords(this.events, selectionOf(claim, batchExport));
    let end: () => Promise<RunStatus>;
    try {
      await settled(this.deliver(claim, attempt, records), attempt.signal);
      end = () => this.transitions.complete(claim, attempt.progress, attempt.duration);
    } catch (error) {
      const reason = attempt.signal.aborted ? attempt.signal.reason : error;
      end = this.endOf(claim, reason, records.failure, mask);
    }
    records.close();
    await attempt.end();
    try {
      const status = await patiently(end, stopping);
      this.metrics.attempted(batchExport.sendsTo, status, attempt.progress, attempt.duration);
    } catch (error) {
      // Cancelled, taken over, or gone with its project: nothing of it is this worker's any more.
      if (!(error instanceof RunLost)) throw error;
    }
  }

  private async deliver(claim: Claim, attempt: RunAttempt, records: RunRecords): Promise<void> {
    const { run, batchExport } = claim;
    const { type, complete } = batchExport.destination(this.vault);
    const { projectId } = batchExport;
    const { model, query } = batchExport.exports;
    const selection = selectionOf(claim, batchExport);
    await this.events.close(projectId, run.interval.end);
    const fields = await this.events.fieldsOf({ model, query });
    const count = (after: string | null) => this.events.count({ ...selection, after }, attempt.signal);
    const total = await count(null);
    const left = run.reached === null ? total : await count(run.reached);
    await attempt.expect(total, total - left);
    const delivery: Delivery = {
      batchExportId: batchExport.id,
      runId: run.id,
      projectId,
      model,
      interval: run.interval,
      fields,
      isQuery: query !== null,
      cursor: run.reached,
      read: (format, after = null) => records.read(format, after),
    };
    await this.writers.of(type).write(complete, delivery, attempt, attempt.signal);
  }

  /** What becomes of the run, when its attempt ended with this. */
  private endOf(
    claim: Claim,
    error: unknown,
    reading: { readonly error: unknown } | null,
    mask: (text: string) => string,
  ): () => Promise<RunStatus> {
    const { transitions } = this;
    if (error instanceof RunLost) return () => Promise.reject(error);
    if (error instanceof WorkerStops) return () => transitions.release(claim);
    if (error instanceof Standstill) return () => transitions.failTransiently(claim, sentence(error.message));
    const cause = reading ? reading.error : error;
    if (cause instanceof DeliveryFailed) {
      const told = sentence(mask(cause.message));
      return () =>
        cause.isTransient ? transitions.failTransiently(claim, told) : transitions.fail(claim, told);
    }
    if (isDatabaseUnavailable(cause)) {
      return () => transitions.interrupt(claim, 'The database of Hedgerow did not answer.');
    }
    if (cause instanceof DomainError) return () => transitions.fail(claim, sentence(mask(cause.message)));
    if (claim.batchExport.exports.query !== null && isRefusedValue(cause)) {
      const told = `The query cannot be computed for these events: ${(cause as Error).message}`;
      return () => transitions.fail(claim, sentence(mask(told)));
    }
    const id = randomUUID();
    const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
    this.logger.error(`${id}: run ${claim.id} of batch export ${claim.batchExportId}: ${mask(stack)}`);
    const told = `Something went wrong in Hedgerow itself; its log says what, under ${id}.`;
    return () => transitions.fail(claim, told);
  }

  /** None when they cannot be opened: then nobody is told any. */
  private secretsOf(batchExport: BatchExport): Destination['secrets'] {
    try {
      return batchExport.destination(this.vault).secrets;
    } catch {
      return {};
    }
  }
}

function selectionOf({ run }: Claim, batchExport: BatchExport): Selection {
  const { model, query } = batchExport.exports;
  const { include_events, exclude_events } = batchExport.configuration;
  return {
    projectId: batchExport.projectId,
    model,
    start: run.interval.start,
    end: run.interval.end,
    includeEvents: model === 'events' ? namesIn(include_events) : null,
    excludeEvents: model === 'events' ? namesIn(exclude_events) : null,
    query,
    after: null,
  };
}

/** An empty list leaves nothing out, and includes everything. */
const namesIn = (value: unknown): string[] | null =>
  Array.isArray(value) && value.length > 0 ? value.map(String) : null;

const wordsOf = (batchExport: BatchExport): string => inWords(batchExport.sendsTo, batchExport.configuration);

/** Ended with a full stop, unless it ends with a mark of its own. */
const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** The outcome of the work; once it is told to end, of what it takes no longer than a grace for. */
async function settled(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let hurry = () => {};
  const impatience = new Promise<never>((_, reject) => {
    hurry = () => {
      timer = setTimeout(() => reject(signal.reason), GRACE);
    };
    if (signal.aborted) hurry();
    else signal.addEventListener('abort', hurry, { once: true });
  });
  try {
    await Promise.race([work, impatience]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', hurry);
    work.catch(() => undefined);
  }
}
