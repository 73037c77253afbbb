import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { AddressPolicy, AddressRefused } from '../../shared/net/address-policy';
import type { DestinationChange } from '../domain/destination';
import { HostNotPublic } from '../domain/destination-errors';
import { hostsIn } from '../domain/destination-places';

/**
 * Refuses destinations that can be seen to be out of reach. What a name resolves to is checked when it is connected to,
 * by the writers.
 */
@Injectable()
export class DestinationReach {
  private readonly policy: AddressPolicy;
  private readonly allowsThisMachine: boolean;

  constructor({ allowPrivateDestinations }: Settings) {
    this.policy = new AddressPolicy(allowPrivateDestinations);
    this.allowsThisMachine = allowPrivateDestinations;
  }

  /** @throws HostNotPublic for a private address, or this machine, where these are not allowed */
  check({ config = {} }: DestinationChange = {}): void {
    for (const { field, host } of hostsIn(config)) {
      const isThisMachine = /(^|\.)localhost\.?$/i.test(host);
      if (isThisMachine && !this.allowsThisMachine) throw new HostNotPublic(field, host);
      try {
        this.policy.check(host);
      } catch (error) {
        throw error instanceof AddressRefused ? new HostNotPublic(field, host) : error;
      }
    }
  }
}
