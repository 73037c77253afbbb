import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { AddressPolicy } from '../../shared/net/address-policy';
import { CurrentRequest } from '../../shared/request/current-request';
import { Turns } from '../../shared/turns/turns';
import type { PluginAddress } from '../domain/plugin-address';
import { NothingAtAddress, PluginUnreachable, PrivateAddress, UnfitPlugin } from '../domain/plugin-errors';
import { FetchLimits } from './fetch-limits';
import { HostConnection } from './host-connection';
import { HostTrouble, type TroubleKind } from './host-trouble';

const FACTS: Record<TroubleKind, new (url: string, reason: string) => Error> = {
  absent: NothingAtAddress,
  private: PrivateAddress,
  oversized: class extends UnfitPlugin {
    constructor(url: string, reason: string) {
      super(`The plugin at "${url}" is ${reason}.`);
    }
  },
  failed: PluginUnreachable,
};

/** The way to hosts: within the time limit and the address policy, and with its troubles told as facts. */
@Injectable()
export class HostLine {
  private readonly policy: AddressPolicy;
  private readonly plainHttp: boolean;
  private readonly turns: Turns;

  constructor(
    readonly limits: FetchLimits,
    settings: Settings,
    private readonly current: CurrentRequest,
  ) {
    this.policy = new AddressPolicy(settings.allowPrivatePluginSources);
    this.plainHttp = settings.allowPrivatePluginSources;
    this.turns = new Turns(limits.atOnce, limits.atOnceOfOne);
  }

  /** @throws NothingAtAddress, PrivateAddress, UnfitPlugin, PluginUnreachable, also when it takes longer than the limit */
  async within<T>({ url }: PluginAddress, work: (connection: HostConnection) => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(this.limits.time);
    try {
      return await this.turns.take(this.current.owner, signal, () =>
        work(new HostConnection(this.policy, this.plainHttp, signal)),
      );
    } catch (error) {
      if (signal.aborted) {
        throw new PluginUnreachable(url, `it took longer than ${this.limits.time / 1000} seconds`);
      }
      if (error instanceof HostTrouble) throw new FACTS[error.kind](url, error.message);
      throw error;
    }
  }
}
