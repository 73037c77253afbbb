import { describeMachine, type Machine } from '../support/machine';
import type { Result, Rounds } from './measure';
import type { Baseline, Options } from './options';
import type { Path } from './paths';

/** A path with what was measured of it. */
export interface PathReport {
  readonly name: string;
  readonly title: string;
  readonly hedgerow: Result;
  readonly baselines: readonly (Result & {
    readonly name: Baseline;
    /** Hedgerow's rate over this one's, in the same round; the median of the rounds. */
    readonly ratio: number;
  })[];
}

/** All that one run tells. */
export interface Report {
  readonly date: string;
  readonly commit: string | null;
  readonly machine: Machine;
  /** How many processes wanted a processor, over the minute before. */
  readonly loadBefore: number;
  readonly database: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly paths: readonly PathReport[];
  /** Why the other paths, or the key check, are missing: answers that differ, or that should not come. */
  readonly failures: readonly string[];
  /**
   * What looking a key up costs the server, and finding none of the caller's organizations, as a part of a GET of one
   * action; null unless all of it was measured.
   */
  readonly keyCheckShare: number | null;
  /** The server's, in MiB. */
  readonly memory: { readonly peak: number; readonly after: number };
  /** In seconds. */
  readonly coldStarts: readonly number[];
}

export function reportOf({ name, title }: Path, rounds: Rounds): PathReport {
  const own = rounds.get('hedgerow') ?? [];
  const baselines = [...rounds].flatMap(([other, results]) =>
    other === 'hedgerow'
      ? []
      : {
          name: other,
          ratio: median(own.map((result, round) => ratio(result, results[round]))),
          ...middle(results),
        },
  );
  return { name, title, hedgerow: middle(own), baselines };
}

const ratio = (own: Result, other: Result | undefined): number =>
  own.requestsPerSecond / (other?.requestsPerSecond ?? Number.NaN);

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
}

function middle(results: readonly Result[]): Result {
  const of = (read: (result: Result) => number) => median(results.map(read));
  return {
    requestsPerSecond: of(({ requestsPerSecond }) => requestsPerSecond),
    p50: of(({ p50 }) => p50),
    p99: of(({ p99 }) => p99),
    serverCpu: of(({ serverCpu }) => serverCpu),
    postgresCpu: results.some(({ postgresCpu }) => postgresCpu === null)
      ? null
      : of(({ postgresCpu }) => postgresCpu ?? 0),
    memory: Math.max(...results.map(({ memory }) => memory)),
    loadBusy: of(({ loadBusy }) => loadBusy),
  };
}

/** Of one processor: a load that takes more cannot ask faster. */
const BUSY = 0.9;

function digits(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '';
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(value >= 10 ? 3 : value >= 0.1 ? 2 : 1);
}

/** For people, in Markdown. */
export function tablesOf(report: Report, { baselines }: Options): string {
  const header = [
    ...['Path', 'requests/s', 'p50, ms', 'p99, ms', 'server CPU, ms', 'PostgreSQL CPU, ms', 'RSS, MiB'],
    ...baselines.flatMap((name) => [`baseline (${name})/s`, 'its CPU, ms', 'ratio']),
  ];
  const rows = report.paths.map(({ title, hedgerow, baselines: others }) => [
    title,
    ...[hedgerow.requestsPerSecond, hedgerow.p50, hedgerow.p99].map(digits),
    ...[hedgerow.serverCpu, hedgerow.postgresCpu, hedgerow.memory].map(digits),
    ...others.flatMap((other) => [
      digits(other.requestsPerSecond),
      digits(other.serverCpu),
      other.ratio.toFixed(2),
    ]),
  ]);
  return [...summaryOf(report), '', ...markdown([header, ...rows]), '', ...restOf(report)].join('\n');
}

function summaryOf({ machine, database, date, commit, settings, loadBefore }: Report): string[] {
  const given = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  return [
    `${describeMachine(machine)}, PostgreSQL ${database.version} (fsync ${database.fsync}); load before: ${loadBefore.toFixed(1)}`,
    `${date}${commit ? `, ${commit}` : ''}; ${given.join(', ')}`,
    ...(Number(settings.scale) < 1
      ? ['Below scale 1, pages and the table are smaller than they are called.']
      : []),
  ];
}

function restOf({ keyCheckShare, memory, coldStarts, paths }: Report): string[] {
  const lines = [
    `Memory of the server: ${digits(memory.peak)} MiB at most, ${digits(memory.after)} MiB after.`,
  ];
  if (keyCheckShare !== null) {
    lines.push(`The key check is ${(keyCheckShare * 100).toFixed(0)} % of the server's CPU for one action.`);
  }
  if (coldStarts.length > 0) {
    lines.push(`Ready ${median(coldStarts).toFixed(2)} s after the start (median of ${coldStarts.length}).`);
  }
  const held = paths.filter((path) =>
    [path.hedgerow, ...path.baselines].some(({ loadBusy }) => loadBusy > BUSY),
  );
  if (held.length > 0) {
    lines.push(
      `Held up by the load itself, so that a rate is too low: ${held.map(({ name }) => name).join(', ')}.`,
    );
  }
  return lines;
}

function markdown(table: readonly (readonly string[])[]): string[] {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => `${'-'.repeat(width + 1)}${column === 0 ? '-' : ':'}`).join('|')}|`;
  const [header = [], ...rows] = table.map((row) => line(row));
  return [String(header), rule, ...rows];
}
