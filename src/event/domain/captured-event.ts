import type { Invalid } from '../../shared/domain/domain-error';

/** An event as it came in, checked and completed. Times are moments of the event's own clock, corrected by `sent_at`. */
export interface CapturedEvent {
  readonly uuid: string;
  readonly event: string;
  readonly distinctId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly timestamp: Date;
}

/** An event that is not kept: where in the batch it stood, and what is wrong with it. */
export interface Rejection {
  readonly index: number;
  /** The event's own, where it has one. */
  readonly uuid: string | null;
  readonly attr: string | null;
  readonly code: string;
  readonly detail: string;
}

/** What one request brings. */
export interface Capture {
  /** The `api_token` of the project it is meant for; null when there is none. */
  readonly token: string | null;
  /** Reads the events: work that is not to be done for somebody without a project. */
  readonly read: () => CapturedBatch;
}

export interface CapturedBatch {
  readonly events: readonly CapturedEvent[];
  readonly rejected: readonly Rejection[];
  /** What to tell when there is no event among it that can be kept; null when there is. */
  readonly refusal: Invalid | null;
}
