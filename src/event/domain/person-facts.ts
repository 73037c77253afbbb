import type { CapturedEvent } from './captured-event';

type Properties = Readonly<Record<string, unknown>>;

/** How an event changes the properties of its person; first what is set once, then what is set, then what is unset. */
export interface PropertyChange {
  readonly setOnce: Properties;
  readonly set: Properties;
  readonly unset: readonly string[];
}

/** Says that two distinct ids are one person's. */
export interface Link {
  readonly kind: 'identify' | 'alias' | 'merge';
  /** The id that the event's own is linked with: the anonymous one, or the alias. */
  readonly otherId: string;
}

/** What an event tells of persons. */
export interface PersonFacts {
  /** Whether the event makes a person of its distinct id. */
  readonly hasPerson: boolean;
  readonly identifies: boolean;
  readonly change: PropertyChange | null;
  readonly link: Link | null;
}

const NONE: PersonFacts = { hasPerson: false, identifies: false, change: null, link: null };

const LINKS: Readonly<Record<string, { readonly kind: Link['kind']; readonly property: string }>> = {
  $identify: { kind: 'identify', property: '$anon_distinct_id' },
  $create_alias: { kind: 'alias', property: 'alias' },
  $merge_dangerously: { kind: 'merge', property: 'alias' },
};

/** What faulty clients send in place of an id. Linking them would make one person of all who use such a client. */
const NOBODY = new Set([
  ...['', '0', 'anonymous', 'distinct_id', 'distinctid', 'email', 'false', 'guest', 'id', 'nan', 'none'],
  ...['not_authenticated', 'null', 'true', 'undefined', '[object object]'],
]);

export const LONGEST_DISTINCT_ID = 200;

const isNobody = (distinctId: string): boolean => NOBODY.has(distinctId.trim().toLowerCase());

export function personFacts({ event, distinctId, properties }: CapturedEvent): PersonFacts {
  if (properties.$process_person_profile === false) return NONE;
  const { $set, $set_once, $unset } = properties;
  const change =
    isObject($set) || isObject($set_once) || $unset !== undefined
      ? { set: objectOf($set), setOnce: objectOf($set_once), unset: namesOf($unset) }
      : null;
  const link = linkOf(event, distinctId, properties);
  return { hasPerson: true, identifies: event === '$identify' && !isNobody(distinctId), change, link };
}

function linkOf(event: string, distinctId: string, properties: Properties): Link | null {
  const declared = Object.hasOwn(LINKS, event) ? LINKS[event] : undefined;
  if (!declared) return null;
  const otherId = textOf(properties[declared.property]);
  if (otherId === null || otherId === distinctId || isNobody(otherId) || isNobody(distinctId)) return null;
  return { kind: declared.kind, otherId };
}

/** An id may be a number; one that is too long is nobody's. */
function textOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && text.length <= LONGEST_DISTINCT_ID ? text : null;
}

const isObject = (value: unknown): value is Properties =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const objectOf = (value: unknown): Properties => (isObject(value) ? value : {});

/** Names are given as a list, or as the keys of an object. */
function namesOf(value: unknown): string[] {
  const names = isObject(value) ? Object.keys(value) : Array.isArray(value) ? value : [value];
  return names.filter((name) => typeof name === 'string');
}
