const TIMESTAMP =
  /^(\d{4,6})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)?$/;

/**
 * Microseconds since 1970 of a moment as PostgreSQL or ISO 8601 writes it, without an offset taken as UTC; null for
 * any other text.
 */
export function microsecondsOf(text: string): bigint | null {
  const match = TIMESTAMP.exec(text);
  if (!match) return null;
  const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = '', sign, ...offset] = match;
  const [offsetHours = 0, offsetMinutes = 0] = offset;
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const ahead = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const seconds = (Number(hour) * 60 + Number(minute) - ahead) * 60 + Number(second);
  return BigInt(midnight + seconds * 1000) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
