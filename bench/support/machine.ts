import { cpus, totalmem } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly node: string;
}

export function machine(): Machine {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
}

/** In one line. */
export function describeMachine({ cpu, cores, memoryGiB, node }: Machine = machine()): string {
  return `${cores} x ${cpu}, ${memoryGiB} GiB, Node ${node}`;
}
