import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** The server in a process of its own, as `npm start` runs it. */
export class ServerProcess {
  output = '';
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;

  /** `env` alone is what the process sees besides PATH. */
  constructor(env: NodeJS.ProcessEnv) {
    this.child = spawn(
      process.execPath,
      ['-r', join(ROOT, 'test/support/register.js'), join(ROOT, 'src/main.ts')],
      {
        cwd: ROOT,
        env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'error', ...env },
        // A process group of its own, so that a test can kill the whole group.
        detached: true,
      },
    );
    this.exited = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.output += text;
      });
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The address that the server says it serves. */
  get url(): string {
    return (
      /Hedgerow (?:serves|executes jobs \(health:) (\S+)\/(?:api\/|_readyz)/.exec(this.output)?.[1] ?? ''
    );
  }

  /** The key that the first start shows. */
  get key(): string | null {
    return /shown this once: (phx_\w+)/.exec(this.output)?.[1] ?? null;
  }

  /** @throws Error with all it said when it ends before it serves. */
  async ready(): Promise<void> {
    await until(() => this.url !== '' || this.ended);
    if (this.url === '') throw new Error(`The server did not start: ${this.output}`);
  }

  get ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Asks to stop and waits for the end. @returns the exit code. */
  async stop(): Promise<number | null> {
    if (!this.ended) this.child.kill('SIGTERM');
    return this.end();
  }

  async end(): Promise<number | null> {
    await this.exited;
    return this.child.exitCode;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** SIGKILL to the process, or to its whole group. */
  async kill(whom: 'process' | 'group' = 'process'): Promise<void> {
    process.kill(whom === 'group' ? -this.pid : this.pid, 'SIGKILL');
    await this.exited;
  }

  request(path: string, init: RequestInit & { key?: string | null } = {}): Promise<Response> {
    return fetch(this.url + path, {
      ...init,
      headers: {
        'Content-Type': 'application/json',
        ...(init.key ? { Authorization: `Bearer ${init.key}` } : {}),
      },
    });
  }
}

/** Waits for a condition. @throws Error after so many seconds. */
export async function until(condition: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Waited in vain for ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
