import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { CannotMeasure } from './options';

/** A command that runs on the first core alone, where that is wanted. */
export const onServerCores = (pin: boolean, command: readonly string[]): readonly string[] =>
  pin ? ['taskset', '-c', '0', ...command] : command;

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
