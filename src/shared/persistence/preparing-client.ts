import { Client, type QueryResult } from 'pg';

/** TypeORM's texts are few, but for inserts of many rows, of which every number has its own. */
const MOST_NAMES = 200;

const names = new Map<string, string>();

/** The same on every connection, so that whoever looks at one of them knows it; none once there are enough. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MOST_NAMES) return known;
  const name = `typeorm.${names.size + 1}`;
  names.set(text, name);
  return name;
}

/**
 * Whether pg can write it whatever it holds. Where it cannot, as with JSON that contains itself, it closes the statement
 * but takes its name for prepared: from then on the connection would refuse all that has this text.
 */
const isWritable = (value: unknown): boolean =>
  isPrimitive(value) ||
  value instanceof Date ||
  Buffer.isBuffer(value) ||
  (Array.isArray(value) && value.every(isPrimitive));

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;

/**
 * A connection whose statements are parsed and planned once, when they come as text with values: so TypeORM sends its
 * own, and PostgreSQL would need more time for that than to execute them. Statements of ours have a name already.
 */
export class PreparingClient extends Client {
  // biome-ignore lint/suspicious/noExplicitAny: all the forms that pg takes are handed on
  override query(...given: any[]): any {
    const [text, values] = given;
    const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const query = super.query as (...given: unknown[]) => Promise<QueryResult>;
    if (!isPlain) return query.apply(this, given);
    const name = values.every(isWritable) ? nameOf(text) : undefined;
    return query.call(this, { ...(name === undefined ? {} : { name }), text, values }, ...given.slice(2));
  }
}
