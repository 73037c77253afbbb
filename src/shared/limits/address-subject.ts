import { parse } from 'ipaddr.js';

/** Whom requests without a key are counted as: an IPv4 address, or the /64 network that one subscriber has of IPv6. */
export function subjectOfAddress(address: string): string {
  const [bare = ''] = address.split('%');
  const parsed = parse(bare);
  if (!('isIPv4MappedAddress' in parsed)) return `address ${parsed.toString()}`;
  if (parsed.isIPv4MappedAddress()) return `address ${parsed.toIPv4Address().toString()}`;
  return `address ${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
