/** An event as it came in, checked and completed. Times are moments of the event's own clock, corrected by `sent_at`. */
export interface CapturedEvent {
  readonly uuid: string;
  readonly event: string;
  readonly distinctId: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly timestamp: Date;
}
