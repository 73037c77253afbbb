import { parseArgs } from 'node:util';
import { PATHS, type Path } from './paths';

export const USAGE = `Measures the API under load, in turns with servers without a framework that give the same answers.

  npm run build && npm run bench -- [options]

  --scale 1            times 1,000 organizations, 100,000 members, 100,000 actions, 100,000 batch exports
  --paths a,b          only these: ${PATHS.map(({ name }) => name).join(', ')}
  --connections 32     requests at a time
  --duration 4         seconds of each measurement
  --rounds 3           measurements of each path and server; the median counts
  --baselines a,b      of postgres (PostgreSQL makes the JSON) and node (Node makes it); default both
  --cold-starts 5      how often the start is measured
  --pin                servers under load on the first core, everything else on the others (Linux; needs taskset)
  --profile DIR        has the server write a CPU profile there when it ends
  --from-source        starts the server from src instead of dist; no measure of anything
  --json               prints one JSON document instead of tables

Makes a PostgreSQL of its own in a new folder and removes it in the end. With DATABASE_URL it makes a database of its
own on that server instead, and drops it in the end. What the server reads from the environment besides (such as
DATABASE_POOL_SIZE) holds for it. Processor time and memory are measured on Linux only.`;

/** What whoever runs this can mend. */
export class CannotMeasure extends Error {}

export const BASELINES = ['postgres', 'node'] as const;
export type Baseline = (typeof BASELINES)[number];

export interface Options {
  readonly scale: number;
  readonly paths: readonly Path[];
  readonly connections: number;
  readonly duration: number;
  readonly rounds: number;
  readonly baselines: readonly Baseline[];
  readonly coldStarts: number;
  readonly pin: boolean;
  readonly profile: string | null;
  readonly fromSource: boolean;
  readonly json: boolean;
}

/** Null when help was asked for. @throws CannotMeasure */
export function readOptions(args: readonly string[]): Options | null {
  const { values } = parsed(args);
  if (values.help) return null;
  return {
    scale: number('scale', values.scale, 0.001),
    paths: chosen('paths', values.paths, PATHS),
    connections: whole('connections', values.connections, 1),
    duration: number('duration', values.duration, 0.1),
    rounds: whole('rounds', values.rounds, 1),
    baselines: chosen(
      'baselines',
      values.baselines,
      BASELINES.map((name) => ({ name })),
    ).map(({ name }) => name),
    coldStarts: whole('cold-starts', values['cold-starts'], 0),
    pin: values.pin,
    profile: values.profile ?? null,
    fromSource: values['from-source'],
    json: values.json,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        scale: { type: 'string', default: '1' },
        paths: { type: 'string' },
        connections: { type: 'string', default: '32' },
        duration: { type: 'string', default: '4' },
        rounds: { type: 'string', default: '3' },
        baselines: { type: 'string' },
        'cold-starts': { type: 'string', default: '5' },
        pin: { type: 'boolean', default: false },
        profile: { type: 'string' },
        'from-source': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new CannotMeasure(`${(error as Error).message} (--help tells the options)`);
  }
}

function number(name: string, text: string, from: number): number {
  const value = Number(text);
  if (!(value >= from && value < Number.POSITIVE_INFINITY)) {
    throw new CannotMeasure(`--${name} must be a number from ${from}, not ${JSON.stringify(text)}.`);
  }
  return value;
}

function whole(name: string, text: string, from: number): number {
  const value = number(name, text, from);
  if (!Number.isInteger(value)) throw new CannotMeasure(`--${name} must be a whole number.`);
  return value;
}

function chosen<T extends { readonly name: string }>(
  option: string,
  text: string | undefined,
  all: readonly T[],
): readonly T[] {
  if (text === undefined) return all;
  return text.split(',').map((name) => {
    const found = all.find((candidate) => candidate.name === name);
    if (!found) {
      const names = all.map((candidate) => candidate.name).join(', ');
      throw new CannotMeasure(`--${option}: ${JSON.stringify(name)} is none of ${names}.`);
    }
    return found;
  });
}
