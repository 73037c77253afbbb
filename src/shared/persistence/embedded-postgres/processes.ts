import { spawn } from 'node:child_process';

/** An OS user that PostgreSQL runs as, because PostgreSQL refuses to run as root. */
export interface OsAccount {
  uid: number;
  gid: number;
}

export interface ProgramResult {
  ok: boolean;
  /** All it wrote, or why it could not be run at all. */
  output: string;
}

/** Runs a program to its end, as another OS user if one is given. Never rejects and never throws. */
export function runProgram(command: string, args: string[], account?: OsAccount): Promise<ProgramResult> {
  return new Promise((resolve) => {
    try {
      const child = spawn(command, args, { ...spawnOptions(account), stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      const collect = (chunk: Buffer) => {
        output += chunk.toString();
      };
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      child.on('error', (error) => resolve({ ok: false, output: explainSpawnError(error, command) }));
      child.on('close', (code) => resolve({ ok: code === 0, output }));
    } catch (error) {
      resolve({ ok: false, output: String(error) });
    }
  });
}

/**
 * What every PostgreSQL program is started with. The environment is not handed on: it may hold secrets, and
 * PG* variables that would bend PostgreSQL's behaviour. The current folder may be one the account cannot enter.
 */
export function spawnOptions(account: OsAccount | undefined) {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'SystemRoot', 'TEMP', 'TMP'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    cwd: '/',
    env: { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' } as NodeJS.ProcessEnv,
    windowsHide: true,
    ...(account && { uid: account.uid, gid: account.gid }),
  };
}

/** Node's words for a program that could not be started, with the cause that they do not name. */
export function explainSpawnError(error: Error, command: string): string {
  const { code } = error as NodeJS.ErrnoException;
  // The file is known to be there, so what is missing is the loader that it was linked for.
  const cause =
    code === 'ENOENT' ? ' (these binaries need glibc; musl systems such as Alpine have none)' : '';
  return `cannot run ${command}: ${error.message}${cause}`;
}

/** Whether any process has the pid: the one that was meant, another one that got its number, or a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
