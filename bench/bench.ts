import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { checkPath } from './http/check';
import { coldStarts } from './http/cold-start';
import { connect, describeDatabase, newDatabase, processesOf } from './http/database';
import { Meter } from './http/measure';
import { CannotMeasure, type Options, readOptions, USAGE } from './http/options';
import type { Path } from './http/paths';
import { leaveServerCore } from './http/pin';
import { type PathReport, type Report, reportOf, tablesOf } from './http/report';
import { type Measured, measured, Servers } from './http/servers';
import { seed, type World } from './http/world';
import { DataFolder } from './support/data-folder';
import { machine } from './support/machine';
import { type Owned, owning } from './support/owned';
import { residentMiBOf } from './support/processes';
import { ROOT } from './support/server';

/** What goes on; the results alone go to the standard output. */
const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

async function run(owned: Owned, options: Options): Promise<Report> {
  const [loadBefore = 0] = loadavg();
  if (options.pin) leaveServerCore();
  const folder = new DataFolder();
  owned.add(() => folder.remove());
  const url = await newDatabase(owned, folder);
  const servers = new Servers(owned, options, url, folder);
  say('The server migrates the new database');
  await (await servers.hedgerow()).stop();
  say('Cold starts');
  const starts = await coldStarts(servers, options.coldStarts);
  const client = await connect(owned, url);
  say(`Filling it, at scale ${options.scale}`);
  const world = await seed(client, options.scale);
  const hedgerow = measured('hedgerow', await servers.hedgerow({ profiled: true }));
  const all = [hedgerow];
  for (const name of options.baselines) all.push(await servers.baseline(name));
  const meter = new Meter(owned, options, await processesOf(client));
  const paths: PathReport[] = [];
  const failures: string[] = [];
  /** Null where it cannot be measured: the rest is worth its time. */
  const tried = async <T>(measuring: () => Promise<T>): Promise<T | null> => {
    try {
      return await measuring();
    } catch (error) {
      if (!(error instanceof CannotMeasure)) throw error;
      failures.push(error.message);
      return null;
    }
  };
  for (const path of options.paths) {
    say(path.title);
    await tried(async () => {
      await checkPath(path, all, world, client);
      paths.push(reportOf(path, await meter.measure(path, all, world)));
    });
  }
  say('The key check');
  const isMeasured = ({ name }: Path) => paths.some((path) => path.name === name);
  const measuredPaths = options.paths.filter(isMeasured);
  const keyCheckShare = await tried(() => keyCheckShareOf(meter, measuredPaths, hedgerow, world));
  const { scale, connections, duration, rounds, pin } = options;
  return {
    date: new Date().toISOString(),
    commit: commit(),
    machine: machine(),
    loadBefore,
    database: await describeDatabase(client),
    settings: { scale, connections, duration, rounds, pin },
    paths,
    failures,
    keyCheckShare,
    memory: {
      peak: Math.max(0, ...paths.map((path) => path.hedgerow.memory)),
      after: residentMiBOf(hedgerow.pids()),
    },
    coldStarts: starts,
  };
}

/** What a key costs more than none, as a part of a GET of one action; null unless all of these were measured. */
async function keyCheckShareOf(
  meter: Meter,
  measuredPaths: readonly Path[],
  server: Measured,
  world: World,
): Promise<number | null> {
  const wanted = ['no-key', 'key-check', 'action'];
  const paths = wanted.flatMap((name) => measuredPaths.filter((path) => path.name === name));
  if (paths.length < wanted.length) return null;
  const [without = 0, checked = 0, action = 0] = await meter.cpuInTurns(paths, server, world);
  return (checked - without) / action;
}

/** Of the working copy, or null where there is none. */
function commit(): string | null {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: ROOT, stdio: 'pipe', encoding: 'utf8' });
    return git('describe', '--always', '--dirty').trim();
  } catch {
    return null;
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) return console.log(USAGE);
  await owning(async (owned) => {
    const report = await run(owned, options);
    console.log(options.json ? JSON.stringify(report, null, 2) : tablesOf(report, options));
    for (const failure of report.failures) console.error(failure);
    if (report.failures.length > 0) process.exitCode = 1;
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof CannotMeasure ? error.message : error);
  process.exit(1);
});
