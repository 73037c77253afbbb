const FORM =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)? ?(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * A point in time as people write it, UTC where no offset is given, in the form that PostgreSQL reads in whatever
 * time zone its session is. Null for what is none. `hogql_timestamp` does the same to the texts of events.
 */
export function timestampOf(text: string): string | null {
  const [
    found,
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = 'Z',
  ] = FORM.exec(text) ?? [];
  const moment = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const isReal = !Number.isNaN(moment.getTime()) && moment.getUTCDate() === Number(day) && Number(hour) < 24;
  if (found === undefined || !isReal || year === '0000') return null;
  const [, sign = '+', hours = '00', minutes = '00'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (Number(hours) > 15 || Number(minutes) > 59) return null;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 6).padEnd(6, '0')}${sign}${hours}:${minutes}`;
}
