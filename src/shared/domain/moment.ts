const WORDS = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** A moment as people read it, such as `24 November 2026 at 08:46 UTC`. */
export const inWords = (moment: Date): string => `${WORDS.format(moment)} UTC`;
