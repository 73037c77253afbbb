import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Owned } from '../support/owned';
import { cpuSecondsOf, residentMiBOf } from '../support/processes';
import { stop } from '../support/server';
import type { Drive, Driven } from './load';
import { CannotMeasure, type Options } from './options';
import type { Path } from './paths';
import type { Measured } from './servers';
import type { World } from './world';

/** How a server did on a path. Milliseconds, MiB; processor time is for one request. */
export interface Result {
  readonly requestsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly serverCpu: number;
  /** Null where PostgreSQL runs elsewhere. */
  readonly postgresCpu: number | null;
  /** The server's most, meanwhile. */
  readonly memory: number;
  /** Of one processor, how much the load itself took. */
  readonly loadBusy: number;
}

/** A path on all servers: in each round each server once, one after the other. */
export type Rounds = ReadonlyMap<Measured['name'], readonly Result[]>;

/** Many and short, since the speed of a machine that others use changes from second to second. */
const TURNS = 20;
const REQUESTS_A_TURN = 1_000;

/** In milliseconds. */
const MEMORY_EVERY = 100;

/** So many requests until V8 has compiled for good what they go through: the longer, the more code a server has. */
const WARM_UP = 5_000;
/** Where they are slow it ends after so many times as long as a measurement. */
const LONGEST_WARM_UP = 4;

export class Meter {
  private readonly load;

  constructor(
    owned: Owned,
    private readonly options: Options,
    private readonly postgres: () => number[],
  ) {
    this.load = fork(join(__dirname, 'load.ts'), { execArgv: process.execArgv });
    owned.add(() => stop(this.load));
  }

  async measure(path: Path, servers: readonly Measured[], world: World): Promise<Rounds> {
    const { duration, rounds } = this.options;
    const results = new Map(servers.map(({ name }) => [name, [] as Result[]]));
    const rates = new Map<Measured['name'], number>();
    for (const server of servers) {
      rates.set(server.name, await this.warmUp(path, server, world));
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const server of servers) {
        const amount = duration * (rates.get(server.name) ?? 0);
        results.get(server.name)?.push(await this.drive(path, server, world, amount));
      }
    }
    return results;
  }

  /** What a request on each of the paths takes of a server's processor time, in milliseconds; they were measured before. */
  async cpuInTurns(paths: readonly Path[], server: Measured, world: World): Promise<number[]> {
    const sums = paths.map(() => 0);
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [place, path] of paths.entries()) {
        const { serverCpu } = await this.drive(path, server, world, REQUESTS_A_TURN * this.options.scale);
        sums[place] = (sums[place] ?? 0) + serverCpu;
      }
    }
    return sums.map((sum) => sum / TURNS);
  }

  /** @returns how many requests a second to expect. */
  private async warmUp(path: Path, server: Measured, world: World): Promise<number> {
    let { requestsPerSecond: rate } = await this.drive(path, server, world, 0);
    const amount = Math.min(WARM_UP, LONGEST_WARM_UP * this.options.duration * rate);
    if (amount > 2 * this.options.connections) {
      rate = (await this.drive(path, server, world, amount)).requestsPerSecond;
    }
    return rate;
  }

  private async drive(path: Path, { url, pids }: Measured, world: World, wanted: number): Promise<Result> {
    const connections = Math.min(this.options.connections, path.connections ?? Number.POSITIVE_INFINITY);
    const amount = Math.max(connections, Math.round(wanted));
    const family = pids();
    let memory = residentMiBOf(family);
    const watch = setInterval(() => {
      memory = Math.max(memory, residentMiBOf(family));
    }, MEMORY_EVERY);
    const [server, postgres] = [cpuSecondsOf(family), this.postgresCpu()];
    try {
      const order = { url, requests: path.requests(world), status: path.status, connections, amount };
      const { seconds, busy, p50, p99 } = await this.order(path, order);
      const after = this.postgresCpu();
      return {
        requestsPerSecond: amount / seconds,
        p50,
        p99,
        serverCpu: ((cpuSecondsOf(family) - server) * 1000) / amount,
        postgresCpu: after === null || postgres === null ? null : ((after - postgres) * 1000) / amount,
        memory: Math.max(memory, residentMiBOf(family)),
        loadBusy: busy,
      };
    } finally {
      clearInterval(watch);
    }
  }

  private async order({ title }: Path, drive: Drive): Promise<Driven> {
    const answered = new AbortController();
    const { signal } = answered;
    this.load.send(drive);
    const [told] = (await Promise.race([
      once(this.load, 'message', { signal }),
      once(this.load, 'exit', { signal }).then(() => [{ failure: 'the load generator ended' }]),
    ])) as [{ driven?: Driven; failure?: string }];
    answered.abort();
    if (!told.driven) throw new CannotMeasure(`${title}: ${told.failure}.`);
    return told.driven;
  }

  private postgresCpu(): number | null {
    const pids = this.postgres();
    return pids.length === 0 ? null : cpuSecondsOf(pids);
  }
}
