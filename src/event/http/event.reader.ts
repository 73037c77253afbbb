import { v7 as uuidv7 } from 'uuid';
import { Invalid } from '../../shared/domain/domain-error';
import { isObject, typeName } from '../../shared/http/fields/index';
import { NO_TIMESTAMP, parseTimestamp } from '../../shared/http/fields/timestamp';
import type { CapturedEvent } from '../domain/captured-event';
import { LONGEST_DISTINCT_ID } from '../domain/person-facts';

type Fields = Readonly<Record<string, unknown>>;

/** The clock that events are read by. */
export interface Reckoning {
  readonly now: Date;
  /** In milliseconds: how far the sender's clock is behind ours. */
  readonly skew: number;
  /** Whether timestamps are as they should be, from long ago, and no clock is to be corrected. */
  readonly isHistorical: boolean;
}

const LONGEST_NAME = 200;
/** Deeper than people nest, and shallow enough for the recursion of whoever reads it. */
const DEEPEST = 100;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** One event as SDKs send it. @throws Invalid */
export function readEvent(fields: unknown, reckoning: Reckoning): CapturedEvent {
  if (!isObject(fields)) {
    throw new Invalid(
      null,
      'invalid_input',
      `Invalid data. Expected a dictionary, but got ${typeName(fields)}.`,
    );
  }
  if (isDeeper(fields, DEEPEST)) {
    throw new Invalid('properties', 'invalid_input', 'This value is nested too deeply.');
  }
  const properties = propertiesOf(fields);
  return {
    event: textOf(fields.event, 'event', LONGEST_NAME),
    distinctId: textOf(
      asText(fields.distinct_id ?? properties.distinct_id),
      'distinct_id',
      LONGEST_DISTINCT_ID,
    ),
    uuid: uuidOf(fields.uuid),
    timestamp: timestampOf(fields, reckoning),
    properties,
  };
}

/** A number that JSON can write and nobody can hold, such as 1e400, is none. */
const asText = (value: unknown): unknown => (Number.isFinite(value) ? String(value) : value);

function textOf(value: unknown, attr: string, longest: number): string {
  if (value === undefined || value === null) throw new Invalid(attr, 'required', 'This field is required.');
  if (typeof value !== 'string') throw new Invalid(attr, 'invalid_input', 'Not a valid string.');
  if (value.trim() === '') throw new Invalid(attr, 'blank', 'This field may not be blank.');
  if (value.length > longest && [...value].length > longest) {
    throw new Invalid(attr, 'max_length', `Ensure this field has no more than ${longest} characters.`);
  }
  return value;
}

function uuidOf(value: unknown): string {
  if (value === undefined || value === null) return uuidv7();
  if (typeof value !== 'string' || !UUID.test(value)) {
    throw new Invalid('uuid', 'invalid_input', 'Must be a valid UUID.');
  }
  return value.toLowerCase();
}

/** With what SDKs put beside the properties though it belongs to them. */
function propertiesOf(fields: Fields): Fields {
  const properties = fields.properties ?? {};
  if (!isObject(properties)) {
    throw new Invalid(
      'properties',
      'not_a_dict',
      `Expected a dictionary of items but got type "${typeName(properties)}".`,
    );
  }
  const beside = ['$set', '$set_once', '$unset'].filter((name) => (fields[name] ?? null) !== null);
  if (beside.length === 0) return properties;
  const merged = beside.map((name) => {
    const [within, own] = [properties[name], fields[name]];
    return [name, isObject(within) && isObject(own) ? { ...within, ...own } : own];
  });
  return { ...properties, ...Object.fromEntries(merged) };
}

/** An `offset` in milliseconds says how long before the request the event was, whatever clock the sender has. */
function timestampOf({ timestamp, offset }: Fields, { now, skew, isHistorical }: Reckoning): Date {
  if (timestamp === undefined || timestamp === null || timestamp === '') {
    return typeof offset === 'number' ? moment(now.getTime() - offset) : now;
  }
  const told = parseTimestamp(timestamp);
  if (!told) throw new Invalid('timestamp', 'invalid_input', NO_TIMESTAMP);
  if (isHistorical) return told;
  return moment(typeof offset === 'number' ? now.getTime() - offset : told.getTime() + skew);
}

/** Clocks that are very wrong must not lead out of the years that ISO 8601 writes. */
function moment(milliseconds: number): Date {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw new Invalid('timestamp', 'invalid_input', NO_TIMESTAMP);
  return date;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return items.some((item) => isDeeper(item, levels - 1));
}
