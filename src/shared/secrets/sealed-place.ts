/** Where sealed secrets are kept, so that it can be found out whether they can all be opened. */
export interface SealedPlace {
  /** What they are, in the plural. */
  readonly kind: string;
  /** SQL that selects `sealed`, and the `context` that it was sealed with. */
  readonly select: string;
}
