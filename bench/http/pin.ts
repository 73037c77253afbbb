import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { CannotMeasure } from './options';

/** Those of `taskset`: the first alone, or all, which a process would not have that is started by one on the others. */
type Cores = 'first' | 'all';

/** A command that runs on these cores, where that is wanted. */
export const onCores = (pin: boolean, cores: Cores, command: readonly string[]): readonly string[] =>
  pin ? ['taskset', '-c', cores === 'first' ? '0' : `0-${cpus().length - 1}`, ...command] : command;

/** Puts this process, and with it all that it starts, on the other cores. @throws CannotMeasure */
export function leaveServerCore(): void {
  if (cpus().length < 2) throw new CannotMeasure('--pin needs two cores.');
  if (process.env.DATABASE_URL) {
    throw new CannotMeasure('--pin needs a PostgreSQL of its own: leave DATABASE_URL out.');
  }
  try {
    const cores = `1-${cpus().length - 1}`;
    execFileSync('taskset', ['-a', '-p', '-c', cores, String(process.pid)], { stdio: 'pipe' });
  } catch (error) {
    throw new CannotMeasure(`--pin needs taskset: ${(error as Error).message}`);
  }
}
