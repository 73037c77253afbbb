import { Invalid } from '../../shared/domain/domain-error';
import { isObject } from '../../shared/http/fields/index';
import { parseTimestamp } from '../../shared/http/fields/timestamp';
import { NoEvents, TooManyEvents } from '../domain/capture-errors';
import type { Capture, CapturedBatch, CapturedEvent, Rejection } from '../domain/captured-event';
import { type Reckoning, readEvent } from './event.reader';

export const MOST_EVENTS = 10_000;

/** A batch, an array of events, or one event. Events that are wrong are told, each by itself. */
export function readCapture(json: unknown, now: Date): Capture {
  const list = listed(json);
  const envelope = isObject(json) ? json : {};
  const token = tokenOf(envelope) ?? tokenOfFirst(list.items);
  return { token, read: () => readBatch(list, envelope, token, now) };
}

function readBatch(
  { items, path }: Listed,
  envelope: Readonly<Record<string, unknown>>,
  token: string | null,
  now: Date,
): CapturedBatch {
  const nothing = { events: [], rejected: [] };
  const list = path?.[0] ?? null;
  if (items.length === 0) return { ...nothing, refusal: new NoEvents(list) };
  if (items.length > MOST_EVENTS) return { ...nothing, refusal: new TooManyEvents(list, MOST_EVENTS) };
  const reckoning = reckoningOf(envelope, now);
  const events: CapturedEvent[] = [];
  const rejected: Rejection[] = [];
  let refusal: Invalid | null = null;
  for (const [index, item] of items.entries()) {
    try {
      refuseForeign(item, envelope, token);
      events.push(readEvent(item, reckoning));
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      const { attr, code, message } = error;
      rejected.push({ index, uuid: uuidOf(item), attr, code, detail: message });
      refusal ??= new Invalid(
        path ? [...path, index, ...(attr ? [attr] : [])].join('__') : attr,
        code,
        message,
      );
    }
  }
  return { events, rejected, refusal: events.length === 0 ? refusal : null };
}

interface Listed {
  readonly items: readonly unknown[];
  /** Where they stand in the body; null for one that is the whole body. */
  readonly path: readonly string[] | null;
}

function listed(json: unknown): Listed {
  if (Array.isArray(json)) return { items: json, path: [] };
  if (isObject(json) && Array.isArray(json.batch)) return { items: json.batch, path: ['batch'] };
  return { items: [json], path: null };
}

function tokenOf({ api_key, token }: Readonly<Record<string, unknown>>): string | null {
  return [api_key, token].find((value): value is string => typeof value === 'string' && value !== '') ?? null;
}

/** In the event, or in its properties. */
function tokenOfEvent(item: unknown): string | null {
  if (!isObject(item)) return null;
  return tokenOf(item) ?? (isObject(item.properties) ? tokenOf({ token: item.properties.token }) : null);
}

function tokenOfFirst(items: readonly unknown[]): string | null {
  for (const item of items) {
    const token = tokenOfEvent(item);
    if (token !== null) return token;
  }
  return null;
}

/** Where each event has a token, they must be of one project; a token of the whole request goes before. */
function refuseForeign(
  item: unknown,
  envelope: Readonly<Record<string, unknown>>,
  token: string | null,
): void {
  if (tokenOf(envelope) !== null) return;
  const own = tokenOfEvent(item);
  if (own !== null && own !== token) {
    throw new Invalid('token', 'invalid_input', 'The events of a request must have the same token.');
  }
}

function reckoningOf(
  { sent_at, historical_migration }: Readonly<Record<string, unknown>>,
  now: Date,
): Reckoning {
  const sentAt = parseTimestamp(sent_at);
  return {
    now,
    skew: sentAt ? now.getTime() - sentAt.getTime() : 0,
    isHistorical: historical_migration === true,
  };
}

const uuidOf = (item: unknown): string | null =>
  isObject(item) && typeof item.uuid === 'string' ? item.uuid.slice(0, 200) : null;
