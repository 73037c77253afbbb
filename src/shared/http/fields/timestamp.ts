const FORMAT =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?\s*(Z|z|[+-]\d{2}(?::?\d{2})?)?$/;

/** What is said of a value that is no timestamp (ERR-18). */
export const NO_TIMESTAMP =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].';

/** Whether the text of a timestamp says its offset from UTC. */
export const hasOffset = (text: string): boolean => Boolean(FORMAT.exec(text)?.[8]);

/** The moment an ISO 8601 text means, to the millisecond; without an offset it is UTC. Null when it means none. */
export function parseTimestamp(value: unknown): Date | null {
  if (typeof value !== 'string') return null;
  const parts = FORMAT.exec(value);
  if (!parts) return null;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '',
    minute = '',
    second = '00',
    fraction = '0',
    zone = 'Z',
  ] = parts;
  const offset = /^z$/i.test(zone) ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
  const date = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${offset}`,
  );
  // 31 February would roll over into March, and an offset may lead out of the years that ISO 8601 writes.
  const rolled = new Date(`${year}-${month}-${day}T00:00:00Z`);
  const valid =
    !Number.isNaN(date.getTime()) &&
    rolled.getUTCDate() === Number(day) &&
    date.getUTCFullYear() >= 1 &&
    date.getUTCFullYear() <= 9999;
  return valid ? date : null;
}
