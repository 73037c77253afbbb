import { type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';
import type { AddressPolicy } from '../../../shared/net/address-policy';

/** Where a host is, found once: every connection goes there, whatever its name resolves to later. */
export class ServerAddress {
  private constructor(private readonly addresses: readonly LookupAddress[]) {}

  /** @throws AddressRefused where the policy does not let it; the error of the name's look-up */
  static async of(host: string, policy: AddressPolicy): Promise<ServerAddress> {
    policy.check(host);
    const family = isIP(host);
    if (family > 0) return new ServerAddress([{ address: host, family }]);
    return new ServerAddress(
      await new Promise((resolve, reject) => {
        policy.lookup(host, { all: true }, (error, addresses) => {
          if (error) reject(error);
          else resolve(addresses as LookupAddress[]);
        });
      }),
    );
  }

  /** Nobody is between this process and what listens there. */
  get isThisMachine(): boolean {
    return this.addresses.every(({ address }) => /^(127\.|::1$|::ffff:127\.)/i.test(address));
  }

  /** A socket that knows one way to connect: to this address. It keeps the host's name, for TLS. */
  socket(): Socket {
    const lookup: LookupFunction = (_, options, done) => {
      const [first] = this.addresses;
      if (options.all || !first) done(null, [...this.addresses]);
      else done(null, first.address, first.family);
    };
    return new SocketTo(lookup);
  }
}

class SocketTo extends Socket {
  constructor(private readonly lookUp: LookupFunction) {
    super();
  }

  override connect(...[port, host]: unknown[]): this {
    return super.connect({ port: Number(port), host: String(host), lookup: this.lookUp });
  }
}
