/** What can become of an invite. */
export type InviteEnding = 'accepted' | 'withdrawn' | 'replaced';
