import type { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { Client, type ClientConfig, type QueryResult } from 'pg';
import { isPlanStale } from './database-errors';

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

/** A statement with a name of its own, as an object of options: not a query that pg or another library has made. */
const isNamed = (given: unknown): given is { readonly name: string } =>
  typeof given === 'object' && given !== null && !('submit' in given) && 'name' in given && given.name !== '';

const isPrimitive = (value: unknown): boolean => typeof value !== 'object' || value === null;

/** What pg speaks to PostgreSQL over. */
interface Wire extends EventEmitter {
  readonly stream: Duplex;
}

/**
 * Of which making the prepared statements are, on all connections. A migration that changes what one answers spoils it:
 * from then on all get other names, under which they are prepared anew (ADR 2: processes of the version before go on).
 */
let making = 0;

const made = (name: string): string => (making === 0 ? name : `${name}~${making}`);

/**
 * A connection whose statements are parsed and planned once, when they come as text with values: so TypeORM sends its
 * own, and PostgreSQL would need more time for that than to execute them. Statements of ours have a name already.
 */
export class PreparingClient extends Client {
  /** The making of the statement that was sent last. */
  private sent = 0;
  private isGathering = false;

  constructor(config?: string | ClientConfig) {
    super(config);
    // A connection may be lost before its pool or TypeORM listens: unheard, that would end the process.
    this.on('error', () => undefined);
    this.wire.on('errorMessage', (error: Error) => {
      if (isPlanStale(error) && this.sent === making) making += 1;
    });
  }

  // biome-ignore lint/suspicious/noExplicitAny: all the forms that pg takes are handed on
  override query(...given: any[]): any {
    this.gather();
    const [text, values] = given;
    const isPlain = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const query = super.query as (...given: unknown[]) => Promise<QueryResult>;
    this.sent = making;
    if (isNamed(text)) return query.call(this, { ...text, name: made(text.name) }, ...given.slice(1));
    if (!isPlain) return query.apply(this, given);
    const name = values.every(isWritable) ? nameOf(text) : undefined;
    const named = name === undefined ? {} : { name: made(name) };
    return query.call(this, { ...named, text, values }, ...given.slice(2));
  }

  private get wire(): Wire {
    return (this as unknown as { connection: Wire }).connection;
  }

  /** What is asked in one go, nobody waiting for an answer in between, leaves in one piece. */
  private gather(): void {
    if (this.isGathering) return;
    this.isGathering = true;
    const { stream } = this.wire;
    stream.cork();
    process.nextTick(() => {
      this.isGathering = false;
      stream.uncork();
    });
  }
}
