import type { Settings } from '../config/settings';
import { EmbeddedPostgres, hasDatabase, urlOfRunning } from '../shared/persistence/embedded-postgres/index';

export class NoDatabase extends Error {
  constructor(dataDir: string) {
    super(
      `There is no database in DATA_DIR ${dataDir} yet: start the server once, which makes it, or set DATA_DIR ` +
        'or DATABASE_URL to where yours is.',
    );
  }
}

/** The database that a command works on. */
export interface OpenDatabase {
  readonly url: string;
  /** Who runs it. */
  readonly kept: 'by itself' | 'by the server' | 'for this command';
  close(): Promise<void>;
}

/**
 * The database at `DATABASE_URL`; or else that of `DATA_DIR`, which a server may be running, and which otherwise runs
 * until it is closed.
 * @throws NoDatabase, DataDirectoryInUse, EmbeddedPostgresFailed
 */
export async function openDatabase({ databaseUrl, dataDir }: Settings): Promise<OpenDatabase> {
  const close = async () => undefined;
  if (databaseUrl !== null) return { url: databaseUrl, kept: 'by itself', close };
  if (!(await hasDatabase(dataDir))) throw new NoDatabase(dataDir);
  const running = await urlOfRunning(dataDir);
  if (running !== null) return { url: running, kept: 'by the server', close };
  const embedded = await EmbeddedPostgres.start({ directory: dataDir });
  const interrupted = () => {
    void embedded.stop().finally(() => process.exit(130));
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupted);
  return {
    url: embedded.url,
    kept: 'for this command',
    close: async () => {
      for (const signal of signals) process.off(signal, interrupted);
      await embedded.stop();
    },
  };
}
