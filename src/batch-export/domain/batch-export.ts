import { Backfill, type BackfillBounds } from './backfill';
import { missedRange, requestedRange } from './backfill-range';
import { DestinationTakesEventsOnly, EndsBeforeStart, QueryNeedsEvents } from './batch-export-errors';
import { Destination, type DestinationChange } from './destination';
import type { Config } from './destination-rules';
import { type DestinationTypeName, destinationType } from './destination-types';
import { boundaryBefore, type Interval } from './interval';
import { nextRunAt, type Schedule } from './schedule';

/** What is exported: the first is the default. */
export const MODELS = ['events', 'persons'] as const;
export type Model = (typeof MODELS)[number];

/** How many runs in a row have to fail for the export to be paused. */
export const FAILURES_TO_PAUSE = 10;

/** What a caller may set; absent fields stay as they are. */
export interface BatchExportDetails {
  readonly name?: string;
  /** Null stands for the default, events. */
  readonly model?: Model | null;
  readonly destination?: DestinationChange;
  readonly interval?: Interval;
  readonly paused?: boolean;
  readonly lastPausedAt?: Date | null;
  readonly startAt?: Date | null;
  readonly endAt?: Date | null;
  readonly hogqlQuery?: string | null;
  /** What `hogqlQuery` compiles to; given where that is. */
  readonly schema?: object | null;
}

export interface NewBatchExport extends BatchExportDetails {
  readonly name: string;
  readonly interval: Interval;
  readonly destination: DestinationChange & { readonly type: DestinationTypeName };
}

/** Whose an export is. */
export interface ExportPlace {
  readonly organizationId: string;
  readonly projectId: number;
}

/** Seals secrets for the database. `context` binds them to the export that they belong to. */
export interface Vault {
  seal(text: string, context: string): Buffer;
  /** @throws Error when it was sealed for another context, or with a key that is no longer there */
  open(sealed: Buffer, context: string): string;
}

/** A scheduled export of a project's data to a destination. Its secrets are kept sealed, and opened to be merged. */
export class BatchExport {
  private name: string;
  private model: Model = 'events';
  private destinationType!: DestinationTypeName;
  private destinationConfig!: Config;
  private destinationSecrets: Buffer | null = null;
  private interval: Interval;
  private paused = false;
  private lastPausedAt: Date | null = null;
  private startAt: Date | null = null;
  private endAt: Date | null = null;
  private hogqlQuery: string | null = null;
  private schema: object | null = null;
  private lastUpdatedAt!: Date;
  private deleted = false;
  private scheduledUntil: Date;
  private nextRunAt: Date | null = null;
  private missedFrom: Date | null = null;
  private failuresInARow = 0;
  private revision = 0;

  private constructor(
    readonly id: string,
    readonly organizationId: string,
    readonly projectId: number,
    details: NewBatchExport,
    private readonly createdAt: Date,
  ) {
    this.name = details.name;
    this.interval = details.interval;
    this.scheduledUntil = createdAt;
  }

  /** Its first run is that of the interval which is open now. @throws Invalid for a destination, or an end, that is none */
  static schedule(
    id: string,
    of: ExportPlace,
    { destination, ...details }: NewBatchExport,
    vault: Vault,
    at: Date,
  ): BatchExport {
    const batchExport = new BatchExport(id, of.organizationId, of.projectId, { destination, ...details }, at);
    batchExport.sendTo(Destination.of(destination.type, destination.config), vault);
    batchExport.change(details, vault, at);
    return batchExport;
  }

  /** What people call it. */
  get label(): string {
    return this.name;
  }

  get isPaused(): boolean {
    return this.paused;
  }

  get sendsTo(): DestinationTypeName {
    return this.destinationType;
  }

  get exports(): { readonly model: Model; readonly query: string | null } {
    return { model: this.model, query: this.hogqlQuery };
  }

  /** What may be shown of the destination's configuration, as it was given. */
  get configuration(): Config {
    return this.destinationConfig;
  }

  /** Counts the changes of what is exported, and where to. */
  get version(): number {
    return this.revision;
  }

  /**
   * Setting `paused` here is no pause: `last_paused_at` stays (BE-27). Taking it back skips what was missed, as
   * `unpause` does.
   * @returns the names of the secrets that are others now
   * @throws Invalid as `schedule`
   */
  change(details: BatchExportDetails, vault: Vault, at: Date): string[] {
    this.name = details.name ?? this.name;
    if (details.model !== undefined) this.model = details.model ?? MODELS[0];
    const secrets = details.destination ? this.redirect(details.destination, vault) : [];
    this.interval = details.interval ?? this.interval;
    if (details.paused === false) this.unpause(at);
    this.paused = details.paused ?? this.paused;
    if (details.lastPausedAt !== undefined) this.lastPausedAt = details.lastPausedAt;
    if (details.startAt !== undefined) this.startAt = details.startAt;
    if (details.endAt !== undefined) this.endAt = details.endAt;
    if (details.hogqlQuery !== undefined) {
      this.hogqlQuery = details.hogqlQuery;
      this.schema = details.schema ?? null;
    }
    if (this.startAt && this.endAt && this.endAt < this.startAt) throw new EndsBeforeStart();
    if ((details.model || details.hogqlQuery) && this.hogqlQuery !== null && this.model !== 'events')
      throw new QueryNeedsEvents();
    if (details.destination || details.model || details.hogqlQuery) this.refuseWhatDestinationCannotTake();
    const { destination, model, hogqlQuery } = details;
    if (destination || model !== undefined || hogqlQuery !== undefined) this.revision += 1;
    this.nextRunAt = nextRunAt(this.scheduled);
    this.lastUpdatedAt = at;
    return secrets;
  }

  /** Does nothing to an export that is paused (BE-29). */
  pause(at: Date): void {
    if (this.paused) return;
    this.paused = true;
    this.lastPausedAt = at;
    this.lastUpdatedAt = at;
  }

  /**
   * The pause, or the flag that was set, has ended runs of the schedule that were on their way: they are among what a
   * backfill of what was missed brings back.
   */
  missesFrom(start: Date): void {
    if (!this.missedFrom || start < this.missedFrom) this.missedFrom = start;
  }

  /** Goes on with the interval that is open now. Does nothing to an export that is not paused (BE-29). */
  unpause(at: Date): void {
    if (!this.paused) return;
    this.paused = false;
    this.failuresInARow = 0;
    this.missedFrom = null;
    const open = boundaryBefore(this.interval, at);
    if (open > this.scheduledUntil) this.scheduledUntil = open;
    this.nextRunAt = nextRunAt(this.scheduled);
    this.lastUpdatedAt = at;
  }

  delete(at: Date): void {
    this.deleted = true;
    this.lastUpdatedAt = at;
  }

  /** @returns whether runs had failed before it */
  runCompleted(): boolean {
    const hadFailures = this.failuresInARow > 0;
    this.failuresInARow = 0;
    return hadFailures;
  }

  /** @returns whether the export gave up: so many runs in a row have failed that it is paused */
  runFailed(at: Date): boolean {
    this.failuresInARow += 1;
    if (this.failuresInARow < FAILURES_TO_PAUSE) return false;
    this.failuresInARow = 0;
    this.pause(at);
    return true;
  }

  /**
   * The runs for what lies in the bounds. Also for a paused export.
   * @param earliest when the first record of the model arrived; null when there is none
   * @throws Invalid for bounds that are none, or have no data (BE-31..BE-34), or leave too many runs
   */
  backfill(id: string, bounds: BackfillBounds, earliest: Date | null, now: Date): Backfill {
    const { openEnded } = destinationType(this.destinationType);
    const range = requestedRange(bounds, { interval: this.interval, openEnded, earliest, now });
    return Backfill.of(id, this.id, bounds, this.interval, range, now);
  }

  /**
   * The runs that the pause which goes on has kept from happening, or has cancelled (BE-29); to be asked for before
   * it ends. Null when there are none.
   * @throws BackfillTooLarge
   */
  backfillMissed(id: string, now: Date): Backfill | null {
    const { interval, lastPausedAt, missedFrom } = this;
    const range = this.paused ? missedRange(this.scheduled, { lastPausedAt, missedFrom }, now) : null;
    if (!range) return null;
    const isOfPause =
      lastPausedAt && boundaryBefore(interval, lastPausedAt).getTime() === range.start.getTime();
    const bounds = { startAt: isOfPause ? lastPausedAt : range.start, endAt: now };
    return Backfill.of(id, this.id, bounds, interval, range, now);
  }

  /** @throws Error when its secrets cannot be opened */
  destination(vault: Vault): Destination {
    const secrets = this.destinationSecrets ? vault.open(this.destinationSecrets, this.id) : '{}';
    return Destination.stored(this.destinationType, this.destinationConfig, JSON.parse(secrets) as Config);
  }

  private get scheduled(): Schedule {
    const { interval, startAt, endAt, scheduledUntil } = this;
    return { interval, startAt, endAt, scheduledUntil };
  }

  private refuseWhatDestinationCannotTake(): void {
    if (!destinationType(this.destinationType).eventsOnly) return;
    if (this.model !== 'events') throw new DestinationTakesEventsOnly('model', this.destinationType);
    if (this.hogqlQuery !== null) throw new DestinationTakesEventsOnly('hogql_query', this.destinationType);
  }

  private redirect(change: DestinationChange, vault: Vault): string[] {
    const before = this.destination(vault);
    const after = before.changed(change);
    this.sendTo(after, vault);
    return after.secretsUnlike(before);
  }

  private sendTo(destination: Destination, vault: Vault): void {
    const { type, config, secrets } = destination;
    this.destinationType = type;
    this.destinationConfig = config;
    const hasSecrets = Object.keys(secrets).length > 0;
    this.destinationSecrets = hasSecrets ? vault.seal(JSON.stringify(secrets), this.id) : null;
  }
}
