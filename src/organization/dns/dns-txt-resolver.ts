import { Resolver } from 'node:dns/promises';
import { Logger } from '@nestjs/common';
import { TxtResolver } from '../domain/txt-resolver';

/** The most that a look-up may take, in milliseconds, whatever the servers do. */
export const LOOK_UP_LIMIT = 5_000;

const TRIES = 2;

/** Asks DNS: the given servers (`address` or `address:port`), or those of the system when none is given. */
export class DnsTxtResolver extends TxtResolver {
  private readonly logger = new Logger(DnsTxtResolver.name);

  /** @param limit in milliseconds, over all servers and tries */
  constructor(
    private readonly servers: readonly string[],
    private readonly limit = LOOK_UP_LIMIT,
  ) {
    super();
  }

  async resolve(host: string): Promise<readonly string[]> {
    // One resolver for each look-up: `cancel` ends everything that a resolver is doing.
    const resolver = new Resolver({ timeout: Math.ceil(this.limit / (2 * TRIES)), tries: TRIES });
    if (this.servers.length > 0) resolver.setServers(this.servers);
    const alarm = setTimeout(() => resolver.cancel(), this.limit);
    try {
      const records = await resolver.resolveTxt(host);
      // A record of more than 255 bytes comes in pieces.
      return records.map((pieces) => pieces.join(''));
    } catch (error) {
      this.logger.debug(`No TXT records of ${host}: ${(error as Error).message}`);
      return [];
    } finally {
      clearTimeout(alarm);
    }
  }
}
