import { chown, readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresFailed, USE_YOUR_OWN } from './errors';
import { type OsAccount, runProgram } from './processes';

export function runningAsRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Whom a new cluster shall belong to: undefined for an ordinary user, who runs PostgreSQL himself. */
export async function accountForNewCluster(): Promise<OsAccount | undefined> {
  if (!runningAsRoot()) return undefined;
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const accounts = new Map(
    passwd.split('\n').map((line): [string, OsAccount] => {
      const [name = '', , uid, gid] = line.split(':');
      return [name, { uid: Number(uid), gid: Number(gid) }];
    }),
  );
  const account = accounts.get('postgres') ?? accounts.get('nobody');
  if (account) return account;
  throw new EmbeddedPostgresFailed(
    `PostgreSQL refuses to run as root and there is no OS user "postgres" or "nobody" to run it as; add one, ` +
      `start Hedgerow as an ordinary user, or ${USE_YOUR_OWN}`,
  );
}

/** The owner of an existing cluster: the only one PostgreSQL lets run it. */
export async function accountForCluster(dataDirectory: string): Promise<OsAccount | undefined> {
  const { uid, gid } = await stat(dataDirectory);
  if (runningAsRoot()) return { uid, gid };
  if (process.getuid === undefined || uid === process.getuid()) return undefined;
  throw new EmbeddedPostgresFailed(
    `The database in ${dataDirectory} belongs to the OS user with id ${uid}; start Hedgerow as that user or as ` +
      `root, give it another DATA_DIR, or ${USE_YOUR_OWN}`,
  );
}

/** Whether the account may pass through the folder, tried out rather than computed: there are ACLs too. */
export async function canEnter(account: OsAccount | undefined, folder: string): Promise<boolean> {
  if (!account) return true;
  return (await runProgram('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], account)).ok;
}

export async function giveTo(account: OsAccount | undefined, path: string): Promise<void> {
  if (account) await chown(path, account.uid, account.gid);
}
