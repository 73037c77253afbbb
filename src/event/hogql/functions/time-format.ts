import { QueryMeaningless } from '../query-errors';

/** What of ClickHouse's format has the same meaning in every version of it. */
const FIELDS: Readonly<Record<string, string>> = {
  Y: 'YYYY',
  y: 'YY',
  m: 'MM',
  d: 'DD',
  H: 'HH24',
  I: 'HH12',
  i: 'MI',
  S: 'SS',
  s: 'SS',
  f: 'US',
  p: 'AM',
  j: 'DDD',
  F: 'YYYY-MM-DD',
  T: 'HH24:MI:SS',
  R: 'HH24:MI',
};

/** The template for PostgreSQL's to_char. @throws QueryMeaningless for a format that has something else */
export function toCharTemplate(format: string): string {
  return format.replace(/%(.?)|[^%]+/gsu, (text, field: string | undefined) => {
    if (field === undefined) return quoted(text);
    if (field === '%') return quoted('%');
    const template = FIELDS[field];
    if (template) return template;
    const known = Object.keys(FIELDS).map((name) => `%${name}`);
    throw new QueryMeaningless(`formatDateTime(...) knows ${known.join(', ')} and %%, not %${field}`);
  });
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
