import autocannon from 'autocannon';
import { headersOf, type Requests } from './paths';

/** A process of its own that asks as told, and tells how it went. */

export interface Drive {
  readonly url: string;
  readonly requests: Requests;
  readonly status: number;
  readonly connections: number;
  /** How many requests: all are answered when it ends, so that none burdens what is measured next. */
  readonly amount: number;
}

export interface Driven {
  readonly seconds: number;
  /** In milliseconds, from the sending of a request to the end of its answer. */
  readonly p50: number;
  readonly p99: number;
  /** Of one processor, how much this process needed: near 1 it is itself what holds up. */
  readonly busy: number;
}

/** Goes on through the whole run: names that are written must be new. */
let number = Date.now();

/** Requests as autocannon makes them: those without a body once, those with one each time anew. */
function prepared({ method, paths, body }: Requests): autocannon.Request[] {
  if (body === undefined) return paths.map((path) => ({ method, path }));
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    number += 1;
    const path = paths[number % paths.length] ?? '';
    return { ...request, path, body: body.replace('{n}', String(number)) };
  };
  return [{ method, setupRequest }];
}

function drive({ url, requests, status, connections, amount }: Drive): Promise<Driven> {
  return new Promise((done, fail) => {
    const latencies: number[] = [];
    const statuses = new Set<number>();
    const cpu = process.cpuUsage();
    let [start, end] = [0, 0];
    const instance = autocannon(
      {
        url,
        connections,
        amount,
        headers: headersOf(requests),
        requests: prepared(requests),
        timeout: 120,
        // How often it looks whether all is over, in milliseconds.
        sampleInt: 20,
      },
      (error, { errors }) => {
        const others = [...statuses].filter((other) => other !== status);
        if (error) fail(error);
        else if (errors > 0) fail(new Error(`${errors} requests were not answered`));
        else if (others.length > 0) fail(new Error(`Answered ${others.join(', ')} in place of ${status}`));
        else
          done({ seconds: (end - start) / 1000, busy: busyOf(cpu, end - start), ...percentiles(latencies) });
      },
    );
    instance.on('response', (_client, code, _bytes, milliseconds) => {
      end = performance.now();
      start ||= end - milliseconds;
      latencies.push(milliseconds);
      statuses.add(Number(code));
    });
  });
}

function busyOf(since: NodeJS.CpuUsage, milliseconds: number): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000 / milliseconds;
}

function percentiles(latencies: number[]): { p50: number; p99: number } {
  const sorted = Float64Array.from(latencies).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

if (process.send && require.main === module) {
  process.on('message', (order: Drive) => {
    drive(order).then(
      (driven) => process.send?.({ driven }),
      (error: Error) => process.send?.({ failure: error.message }),
    );
  });
}
