import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** What follows is known on Linux; elsewhere every number is NaN. */
const isLinux = existsSync('/proc/self/stat');

/** Linux counts processor time in hundredths of a second. */
const TICKS_A_SECOND = 100;

interface Stat {
  readonly name: string;
  readonly parent: number;
  /** Of the process and of those of its children that have ended. */
  readonly cpuSeconds: number;
}

function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may have blanks and brackets in it.
    const end = text.lastIndexOf(')');
    const fields = text.slice(end + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return {
      name: text.slice(text.indexOf('(') + 1, end),
      parent: Number(fields[1]),
      cpuSeconds: ticks / TICKS_A_SECOND,
    };
  } catch {
    return null;
  }
}

/** The process that started this one; null where there is none of this name. */
export function parentOf(pid: number, name: string): number | null {
  const stat = statOf(pid);
  return stat?.name === name ? stat.parent : null;
}

/** A process and all that it has started, and so on. */
export function familyOf(pid: number): number[] {
  if (!isLinux) return [pid];
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = statOf(Number(name))?.parent;
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const family = [pid];
  for (const member of family) family.push(...(children.get(member) ?? []));
  return family;
}

/** Processor time that processes have taken so far. */
export const cpuSecondsOf = (pids: readonly number[]): number =>
  isLinux ? pids.reduce((sum, pid) => sum + (statOf(pid)?.cpuSeconds ?? 0), 0) : Number.NaN;

/** Memory that processes hold now, in MiB. */
export const residentMiBOf = (pids: readonly number[]): number =>
  isLinux ? pids.reduce((sum, pid) => sum + residentKiB(pid) / 1024, 0) : Number.NaN;

function residentKiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
