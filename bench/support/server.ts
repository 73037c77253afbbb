import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Owned } from './owned';

export const ROOT = resolve(__dirname, '../..');

/** The key that measurements ask with; servers on a new database make it (`BOOTSTRAP_API_KEY`). */
export const KEY = `phx_${'benchmark'.repeat(5)}`;

/** What a server that is measured sees, with its data in `dataDir`. */
export const measuredEnv = (dataDir: string): NodeJS.ProcessEnv => ({
  ...process.env,
  DATA_DIR: dataDir,
  PORT: '0',
  ROLE: 'api',
  LOG_LEVEL: 'warn',
  NODE_ENV: 'production',
  BOOTSTRAP_API_KEY: KEY,
});

/** The command that starts the built server. */
export function builtServer(): string[] {
  const main = join(ROOT, 'dist/main.js');
  if (!existsSync(main)) throw new Error('There is no dist/main.js: npm run build');
  return [process.execPath, main];
}

/** A server in a process of its own, once it says where it serves. */
export class Server {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  /** `env` is all that the process sees. */
  static start(
    owned: Owned,
    [program = '', ...options]: readonly string[],
    env: NodeJS.ProcessEnv,
  ): Promise<Server> {
    const child = spawn(program, options, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    owned.add(() => stop(child));
    let output = '';
    return new Promise((done, fail) => {
      child.once('error', fail);
      child.once('exit', () => fail(new Error(`The server did not start: ${output}`)));
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const url = /Hedgerow serves (\S+)\/api\//.exec(output)?.[1];
        if (url) done(new Server(child, url));
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  stop(): Promise<void> {
    return stop(this.child);
  }
}

/** Asks a process to end and waits until it has. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
