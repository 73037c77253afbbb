/** What can become of an invite. */
export type InviteEnding = 'accepted' | 'withdrawn' | 'replaced';

/** An invite that is no more. */
export interface EndedInvite {
  readonly id: string;
  /** The address that was invited. */
  readonly email: string;
}
