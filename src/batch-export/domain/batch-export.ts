import { Backfill, type BackfillBounds } from './backfill';
import {
  BackfillEndsBeforeStart,
  BackfillEndsTooLate,
  BackfillHasNoEnd,
  EndsBeforeStart,
  NothingToBackfill,
  PauseHasNoBeginning,
} from './batch-export-errors';
import { Destination, type DestinationChange } from './destination';
import type { Config } from './destination-rules';
import { type DestinationTypeName, destinationType } from './destination-types';
import { boundaryAfter, boundaryBefore, type Interval, lengthOf } from './interval';

/** What is exported: the first is the default. */
export const MODELS = ['events', 'persons'] as const;
export type Model = (typeof MODELS)[number];

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
}

export interface NewBatchExport extends BatchExportDetails {
  readonly name: string;
  readonly interval: Interval;
  readonly destination: DestinationChange & { readonly type: DestinationTypeName };
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
  private lastUpdatedAt!: Date;
  private deleted = false;

  private constructor(
    readonly id: string,
    readonly organizationId: string,
    readonly projectId: number,
    details: NewBatchExport,
    private readonly createdAt: Date,
  ) {
    this.name = details.name;
    this.interval = details.interval;
  }

  /** @throws Invalid when the destination is not valid, or the end is before the start */
  static schedule(
    id: string,
    of: { readonly organizationId: string; readonly projectId: number },
    { destination, ...details }: NewBatchExport,
    vault: Vault,
    at: Date,
  ): BatchExport {
    const batchExport = new BatchExport(id, of.organizationId, of.projectId, { destination, ...details }, at);
    batchExport.sendTo(Destination.of(destination.type, destination.config), vault);
    batchExport.change(details, vault, at);
    return batchExport;
  }

  /** Setting `paused` here is no pause: `last_paused_at` stays (BE-27). @throws Invalid as `schedule` */
  change(details: BatchExportDetails, vault: Vault, at: Date): void {
    this.name = details.name ?? this.name;
    if (details.model !== undefined) this.model = details.model ?? MODELS[0];
    if (details.destination) this.sendTo(this.destination(vault).changed(details.destination), vault);
    this.interval = details.interval ?? this.interval;
    this.paused = details.paused ?? this.paused;
    if (details.lastPausedAt !== undefined) this.lastPausedAt = details.lastPausedAt;
    if (details.startAt !== undefined) this.startAt = details.startAt;
    if (details.endAt !== undefined) this.endAt = details.endAt;
    if (details.hogqlQuery !== undefined) this.hogqlQuery = details.hogqlQuery;
    if (this.startAt && this.endAt && this.endAt < this.startAt) throw new EndsBeforeStart();
    this.lastUpdatedAt = at;
  }

  /** Does nothing to an export that is paused (BE-29). */
  pause(at: Date): void {
    if (this.paused) return;
    this.paused = true;
    this.lastPausedAt = at;
    this.lastUpdatedAt = at;
  }

  /** @returns false, having done nothing, when it was not paused (BE-29) */
  unpause(at: Date): boolean {
    if (!this.paused) return false;
    this.paused = false;
    this.lastUpdatedAt = at;
    return true;
  }

  delete(at: Date): void {
    this.deleted = true;
    this.lastUpdatedAt = at;
  }

  /**
   * The bounds are rounded outwards to whole data intervals; without an end it reaches to the last interval that
   * has ended. Also for a paused export.
   * @param earliest when the project's data begins
   * @throws Invalid for bounds that are none (BE-31..BE-33), that leave no data interval, or that leave too many
   */
  backfill(id: string, bounds: BackfillBounds, earliest: Date, now: Date): Backfill {
    const { interval } = this;
    const { startAt, endAt } = bounds;
    if (!endAt && !destinationType(this.destinationType).openEnded) throw new BackfillHasNoEnd();
    if (startAt && endAt && startAt >= endAt) throw new BackfillEndsBeforeStart();
    if (endAt && endAt.getTime() > now.getTime() + lengthOf(interval)) throw new BackfillEndsTooLate(endAt);
    const start = boundaryBefore(interval, startAt ?? earliest);
    const end = endAt ? boundaryAfter(interval, endAt) : boundaryBefore(interval, now);
    if (start >= end) throw new NothingToBackfill(start, end);
    return Backfill.of(id, this.id, bounds, interval, { start, end }, now);
  }

  /**
   * The runs that a pause kept from happening, those whose data interval ended during it: the interval that is
   * open now will run on schedule (BE-29). Null when there were none.
   * @throws PauseHasNoBeginning, BackfillTooLarge
   */
  backfillMissed(id: string, now: Date): Backfill | null {
    const { interval, lastPausedAt } = this;
    if (!lastPausedAt) throw new PauseHasNoBeginning();
    const start = boundaryBefore(interval, lastPausedAt);
    const end = boundaryBefore(interval, now);
    if (start >= end) return null;
    const bounds = { startAt: lastPausedAt, endAt: now };
    return Backfill.of(id, this.id, bounds, interval, { start, end }, now);
  }

  private destination(vault: Vault): Destination {
    const secrets = this.destinationSecrets ? vault.open(this.destinationSecrets, this.id) : '{}';
    return Destination.stored(this.destinationType, this.destinationConfig, JSON.parse(secrets) as Config);
  }

  private sendTo(destination: Destination, vault: Vault): void {
    const { type, config, secrets } = destination;
    this.destinationType = type;
    this.destinationConfig = config;
    const hasSecrets = Object.keys(secrets).length > 0;
    this.destinationSecrets = hasSecrets ? vault.seal(JSON.stringify(secrets), this.id) : null;
  }
}
