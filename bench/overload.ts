import { fork } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../src/shared/persistence/embedded-postgres/index';
import { Crowd, type CrowdOptions, type Seen } from './overload/crowd';
import { Probe, percentile } from './overload/probes';
import { DataFolder } from './support/data-folder';
import { describeMachine } from './support/machine';
import { type Owned, owning } from './support/owned';
import { familyOf, residentMiBOf } from './support/processes';
import { builtServer, KEY, Server } from './support/server';

const USAGE = `Shows how the server fares with more clients than it can serve, and when its database restarts.

  npm run build && npm run bench:overload -- [--connections 1000] [--seconds 60]

Starts the built server on an embedded PostgreSQL in a new folder, and connects clients to it from a process of its own:
seven of ten ask as fast as they are answered, one sends its headers byte by byte, one stops in the middle of a body, one
reads its answer slowly. Meanwhile /_livez, /_readyz and /metrics are asked every quarter of a second. Then, with the clients
still there, PostgreSQL is made to crash and recover. What the server reads from the environment holds for it.`;

const PROBED = ['/_livez', '/_readyz', '/metrics'];
const PROBE_EVERY = 250;
const LOOK_EVERY = 5_000;
/** Of the crowd that sees the database restart, in seconds: before it, and in all. */
const BEFORE_RESTART = 5;
const RESTART = 25;

const round = (milliseconds: number) => `${Math.round(milliseconds)} ms`;
const say = (line: string) => process.stdout.write(`${line}\n`);
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function gather(owned: Owned, options: CrowdOptions): Promise<Seen> {
  const child = fork(__filename, ['--crowd', JSON.stringify(options)]);
  owned.add(() => void child.kill());
  const [seen] = (await once(child, 'message')) as [Seen];
  return seen;
}

function tell({ statuses, withoutRetryAfter, broken, times }: Seen, seconds: number): void {
  const all = Object.entries(statuses).map(([status, count]) => `${count} x ${status}`);
  say(`  answers      ${all.join(', ')} (${Math.round(times.length / seconds)} a second)`);
  say(`  times        p50 ${round(percentile(times, 50))}, p99 ${round(percentile(times, 99))}`);
  say(`  503 without Retry-After: ${withoutRetryAfter}; connections broken while waiting: ${broken}`);
}

async function underLoad(owned: Owned, server: Server, options: CrowdOptions): Promise<void> {
  say(`${options.connections} connections for ${options.seconds} s`);
  const probes = PROBED.map((path) => new Probe(path, server.url, PROBE_EVERY));
  const resident: number[] = [];
  const look = setInterval(() => resident.push(residentMiBOf(familyOf(server.pid))), LOOK_EVERY);
  const seen = await gather(owned, options);
  clearInterval(look);
  tell(seen, options.seconds);
  say(`  memory, MiB  ${resident.map(Math.round).join(' ')} (every ${LOOK_EVERY / 1000} s)`);
  for (const probe of probes) {
    probe.stop();
    const others = probe.others.length === 0 ? '' : `; no 200: ${probe.others.join(', ')}`;
    const [p50, p99] = [50, 99].map((percent) => round(percentile(probe.times, percent)));
    say(`  ${probe.path.padEnd(12)} p50 ${p50}, p99 ${p99}${others}`);
  }
}

/** PostgreSQL ends every connection and recovers when one of its processes is killed. */
async function throughRestart(owned: Owned, server: Server, databaseUrl: string, connections: number) {
  say(`The same, and PostgreSQL crashes after ${BEFORE_RESTART} s`);
  const crowd = gather(owned, { port: Number(new URL(server.url).port), connections, seconds: RESTART });
  await pause(BEFORE_RESTART * 1000);
  const victim = new Client({ connectionString: databaseUrl });
  victim.on('error', () => undefined);
  await victim.connect();
  const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
  const down = performance.now();
  await until(async () => {
    const client = new Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    await client.end();
  });
  const back = performance.now();
  await until(async () => {
    const answer = await fetch(`${server.url}/api/users/@me/`, {
      headers: { Authorization: `Bearer ${KEY}` },
    });
    if (answer.status !== 200) throw new Error(String(answer.status));
  });
  say(
    `  the database took ${round(back - down)}; the first 200 came ${round(performance.now() - back)} later`,
  );
  tell(await crowd, RESTART);
}

async function until(works: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await works();
    } catch {
      await pause(10);
    }
  }
}

async function seed(url: string): Promise<void> {
  for (let number = 0; number < 1000; number += 1) {
    const answer = await fetch(`${url}/api/projects/@current/actions/`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: `Action ${number}`, steps: [{ event: 'bought', url: 'x'.repeat(200) }] }),
    });
    if (answer.status !== 201) throw new Error(`No action could be made: ${await answer.text()}`);
  }
}

async function main(owned: Owned, options: Omit<CrowdOptions, 'port'>): Promise<void> {
  const folder = new DataFolder();
  owned.add(() => folder.remove());
  const database = await EmbeddedPostgres.start({ directory: folder.path });
  owned.add(() => database.stop());
  const server = await Server.start(owned, builtServer(), {
    LOG_LEVEL: 'silent',
    NODE_ENV: 'production',
    ...process.env,
    DATABASE_URL: database.url,
    SECRET_KEY: 'only for this measurement and then forgotten',
    DATA_DIR: folder.path,
    PORT: '0',
    BOOTSTRAP_API_KEY: KEY,
  });
  await seed(server.url);
  say(describeMachine());
  await underLoad(owned, server, { ...options, port: Number(new URL(server.url).port) });
  await throughRestart(owned, server, database.url, options.connections);
}

const { values } = parseArgs({
  options: {
    connections: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    crowd: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) say(USAGE);
else if (values.crowd !== undefined) {
  void new Crowd(JSON.parse(values.crowd) as CrowdOptions).gather().then((seen) => {
    process.send?.(seen, () => process.exit());
  });
} else {
  const options = { connections: Number(values.connections), seconds: Number(values.seconds) };
  owning((owned) => main(owned, options)).catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  });
}
