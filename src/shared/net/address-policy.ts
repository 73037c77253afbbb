import { lookup as lookUp } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { parse, parseCIDR } from 'ipaddr.js';

/** Taken for public by their ranges: IPv4 addresses in an old form of IPv6, and the host of Azure's virtual machines. */
const NOT_PUBLIC = [parseCIDR('::/96'), parseCIDR('168.63.129.16/32')];

/** A host that callers named leads where they must not reach. */
export class AddressRefused extends Error {
  readonly code = 'EADDRREFUSED';

  constructor(host: string) {
    super(`${host} is not a public address`);
  }
}

/**
 * Which addresses a connection to a host named by a caller may have. The check is made on what the name resolves to,
 * at the moment of each connection, so neither DNS nor a redirect leads around it.
 */
export class AddressPolicy {
  constructor(private readonly allowPrivate: boolean) {}

  /** Whether an IP address is one of the public internet, or private ones are allowed. */
  allows(address: string): boolean {
    if (this.allowPrivate) return true;
    const parsed = parse(address);
    if ('isIPv4MappedAddress' in parsed && parsed.isIPv4MappedAddress()) {
      return parsed.toIPv4Address().range() === 'unicast';
    }
    if (
      NOT_PUBLIC.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits))
    ) {
      return false;
    }
    // Also refuses the ranges that carry an IPv4 address inside: NAT64, 6to4, Teredo.
    return parsed.range() === 'unicast';
  }

  /** The `lookup` of a connection: as Node's, but fails with AddressRefused where any address is not allowed. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0);
      if (!addresses.every(({ address }) => this.allows(address))) {
        return callback(new AddressRefused(hostname), '', 0);
      }
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return first
        ? callback(null, first.address, first.family)
        : callback(new Error(`${hostname} has no address`), '', 0);
    });
  };

  /** @throws AddressRefused for an IP address that is not allowed; a name is checked by `lookup`. */
  check(host: string): void {
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(bare) > 0 && !this.allows(bare)) throw new AddressRefused(host);
  }

  /** An agent for `http:` whose connections keep to the policy. End it with `destroy`. */
  httpAgent(): HttpAgent {
    return guarded(new HttpAgent({ keepAlive: true, lookup: this.lookup }), this);
  }

  /** An agent for `https:` whose connections keep to the policy. End it with `destroy`. */
  httpsAgent(): HttpsAgent {
    return guarded(new HttpsAgent({ keepAlive: true, lookup: this.lookup }), this);
  }
}

/** A connection to an IP address asks no `lookup`. */
function guarded<A extends HttpAgent>(agent: A, policy: AddressPolicy): A {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    try {
      policy.check(String(options.host ?? ''));
    } catch (error) {
      // Told as any failure to connect is; `request` itself is not expected to throw.
      if (callback) process.nextTick(callback, error);
      return undefined;
    }
    return connect(options, callback);
  };
  return agent;
}
