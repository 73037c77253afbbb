import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Shop } from './plausible';
import { DataFolder } from './support/data-folder';
import { describeMachine } from './support/machine';
import { type Owned, owning } from './support/owned';
import { cpuSecondsOf } from './support/processes';
import { builtServer, KEY, measuredEnv, Server, stop } from './support/server';

const USAGE = `Measures how many events a second come in over HTTP.

  npm run build && npm run bench:ingest -- [--seconds 20] [--batch 500] [--connections 4] [--visitors 20000]

Starts the built server on the database of DATABASE_URL (with SECRET_KEY), else on an embedded one in a new folder, and
sends batches from a process of its own, each event with a new uuid.`;

/** Distinct bodies that are sent again and again, with other uuids. */
const BODIES = 40;

interface Drive {
  readonly url: string;
  readonly token: string;
  readonly seconds: number;
  readonly batch: number;
  readonly connections: number;
  readonly visitors: number;
}

interface Driven {
  readonly batches: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly cpuSeconds: number;
  readonly latencies: readonly number[];
}

/** A body whose uuids can be overwritten in place: making each one anew would be most of the work. */
class Body {
  readonly bytes: Buffer;
  private readonly places: number[] = [];

  constructor(shop: Shop, token: string, size: number) {
    const now = new Date();
    const batch = Array.from({ length: size }, () => {
      const { uuid, event, distinctId, properties, timestamp } = shop.next(now);
      return { uuid, event, distinct_id: distinctId, timestamp, properties };
    });
    this.bytes = Buffer.from(JSON.stringify({ api_key: token, batch, sent_at: now }));
    const mark = Buffer.from('"uuid":"');
    for (let at = this.bytes.indexOf(mark); at >= 0; at = this.bytes.indexOf(mark, at + 1)) {
      this.places.push(at + mark.length);
    }
  }

  /** Uuids that grow with time, as those of SDKs do. */
  renew(next: () => number): Buffer {
    for (const place of this.places) this.bytes.write(next().toString(16).padStart(8, '0'), place, 'latin1');
    return this.bytes;
  }
}

async function drive({ url, token, seconds, batch, connections, visitors }: Drive): Promise<Driven> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const shop = new Shop(visitors, Date.now());
  const bodies = Array.from({ length: BODIES }, () => new Body(shop, token, batch));
  let uuid = Math.floor(Date.now() / 1000) % 2 ** 31;
  const nextUuid = () => {
    uuid = (uuid + 1) % 2 ** 32;
    return uuid;
  };
  const send = async (bytes: Buffer): Promise<void> => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': bytes.length };
    const sent = request(`${url}/batch/`, { method: 'POST', agent, headers }).end(bytes);
    const [answer] = await once(sent, 'response');
    answer.resume();
    await once(answer, 'end');
    if (answer.statusCode !== 200) throw new Error(`The server answered ${answer.statusCode}`);
  };
  const latencies: number[] = [];
  let bytes = 0;
  let deadline = 0;
  const line = async (free: Body[]) => {
    for (let turn = 0; Date.now() < deadline; turn += 1) {
      const body = (free[turn % free.length] as Body).renew(nextUuid);
      const start = performance.now();
      await send(body);
      latencies.push(performance.now() - start);
      bytes += body.length;
    }
  };
  const lines = async (duration: number) => {
    deadline = Date.now() + duration * 1000;
    const shares = Array.from({ length: connections }, (_, index) =>
      bodies.filter((_body, number) => number % connections === index),
    );
    await Promise.all(shares.map(line));
  };
  await lines(Math.min(5, seconds)); // warms up, and is not counted
  latencies.length = 0;
  bytes = 0;
  process.send?.('warm');
  const cpu = process.cpuUsage();
  const start = performance.now();
  await lines(seconds);
  const { user, system } = process.cpuUsage(cpu);
  agent.destroy();
  const taken = (performance.now() - start) / 1000;
  return { batches: latencies.length, seconds: taken, bytes, cpuSeconds: (user + system) / 1e6, latencies };
}

/** The token that events are sent with. */
async function tokenOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/projects/?limit=1`, { headers: { Authorization: `Bearer ${KEY}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The server answered ${answer.status}: ${text}`);
  const { results } = JSON.parse(text) as { results: { api_token: string }[] };
  return results[0]?.api_token ?? '';
}

/** Processor time that the machine did not idle, in seconds. */
const busySeconds = (): number =>
  cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + (user + nice + sys + irq) / 1000, 0);

async function measure(owned: Owned, options: Omit<Drive, 'url' | 'token'>): Promise<void> {
  const folder = new DataFolder();
  owned.add(() => folder.remove());
  const server = await Server.start(owned, builtServer(), measuredEnv(folder.path));
  const drive: Drive = { ...options, url: server.url, token: await tokenOf(server.url) };
  const driver = fork(__filename, ['--drive', JSON.stringify(drive)], { execArgv: process.execArgv });
  owned.add(() => stop(driver));
  await once(driver, 'message');
  const [serverBefore, busyBefore] = [cpuSecondsOf([server.pid]), busySeconds()];
  const [driven] = (await once(driver, 'message')) as [Driven];
  const [serverAfter, busyAfter] = [cpuSecondsOf([server.pid]), busySeconds()];
  report(options.batch, driven, serverAfter - serverBefore, busyAfter - busyBefore);
}

function report(batch: number, driven: Driven, serverCpu: number, busy: number): void {
  const { batches, seconds, bytes, cpuSeconds, latencies } = driven;
  const events = batches * batch;
  const sorted = [...latencies].sort((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0);
  const microseconds = (cpu: number) => `${((cpu / events) * 1e6).toFixed(1)} µs`;
  console.log(
    [
      `machine    ${describeMachine()}`,
      `events     ${events} in ${seconds.toFixed(1)} s, batches of ${batch}, ${Math.round(bytes / events)} bytes each`,
      `rate       ${Math.round(events / seconds)} events a second`,
      `latency    ${at(0.5)} ms median, ${at(0.95)} ms for 95 %, ${at(0.99)} ms for 99 % of the batches`,
      `processor  ${microseconds(serverCpu)} an event by the server, ${microseconds(cpuSeconds)} by the sender, ` +
        `${microseconds(busy)} by the whole machine (${((busy / seconds / cpus().length) * 100).toFixed(0)} % busy)`,
    ].join('\n'),
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '20' },
      batch: { type: 'string', default: '500' },
      connections: { type: 'string', default: '4' },
      visitors: { type: 'string', default: '20000' },
      drive: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (values.drive !== undefined) {
    process.send?.(await drive(JSON.parse(values.drive) as Drive));
    return;
  }
  const options = {
    seconds: Number(values.seconds),
    batch: Number(values.batch),
    connections: Number(values.connections),
    visitors: Number(values.visitors),
  };
  await owning((owned) => measure(owned, options));
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
