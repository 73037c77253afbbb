import { isIPv6 } from 'node:net';
import type { Config } from './destination-rules';
import { DESTINATION_TYPES, type DestinationType } from './destination-types';

/** A host that a configuration names, in the form that URLs have: `127.0.0.1` for `127.1`, `[::1]` for `::1`. */
export interface NamedHost {
  readonly field: string;
  readonly host: string;
}

const PLACES = new Map(
  Object.values<DestinationType>(DESTINATION_TYPES).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { leads }]) => (leads ? [[name, leads] as const] : [])),
  ),
);

/** The hosts in a part of a configuration of any type; what is no host is left to the checks of its type. */
export function hostsIn(config: Config): readonly NamedHost[] {
  return Object.entries(config).flatMap(([field, value]) => {
    const place = PLACES.get(field);
    if (typeof value !== 'string' || (place !== 'to url' && place !== 'to host')) return [];
    const url = place === 'to url' ? value : `http://${isIPv6(value) ? `[${value}]` : value}`;
    return URL.canParse(url) ? [{ field, host: new URL(url).hostname }] : [];
  });
}
