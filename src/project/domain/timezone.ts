import { Invalid } from '../../shared/domain/domain-error';

export class TimezoneUnknown extends Invalid {
  constructor(name: string) {
    super('timezone', 'invalid_choice', `"${name}" is not a valid choice.`);
  }
}

/** The names that the runtime lists: one of each zone. */
const LISTED = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);

/** `Area/Place`; the runtime also takes abbreviations and offsets, which are no names of IANA's. */
const FORM = /^[A-Z][A-Za-z]+\/[A-Z]/;

/** Whether IANA knows a time zone under this name, in this case. */
export function isTimezone(name: string): boolean {
  return LISTED.has(name) || (FORM.test(name) && isOtherName(name));
}

/** Zones have several names, `Asia/Kolkata` and `Asia/Calcutta`; the runtime takes all of them, in any case. */
function isOtherName(name: string): boolean {
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
