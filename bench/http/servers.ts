import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DataFolder } from '../support/data-folder';
import type { Owned } from '../support/owned';
import { familyOf } from '../support/processes';
import { builtServer, measuredEnv, ROOT, Server } from '../support/server';
import type { Baseline, Options } from './options';
import { onCores } from './pin';

/** Something that is measured: Hedgerow, or a baseline. */
export interface Measured {
  readonly name: 'hedgerow' | Baseline;
  readonly url: string;
  /** Its processes. */
  readonly pids: () => number[];
}

/** How Hedgerow and its baselines are started, all on one database. */
export class Servers {
  private readonly env: NodeJS.ProcessEnv;

  constructor(
    private readonly owned: Owned,
    private readonly options: Options,
    databaseUrl: string,
    folder: DataFolder,
  ) {
    this.env = {
      ...measuredEnv(folder.path),
      DATABASE_URL: databaseUrl,
      SECRET_KEY: randomBytes(32).toString('base64url'),
      PUBLIC_URL: '',
    };
  }

  /** @param alone with nothing beside it that would need a core of its own: it has all of them */
  hedgerow({ profiled = false, alone = false }: { profiled?: boolean; alone?: boolean } = {}) {
    const { fromSource, profile, pin } = this.options;
    const [node = '', ...main] = fromSource ? sourceServer() : builtServer();
    const profiling = profiled && profile !== null ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [];
    return Server.start(
      this.owned,
      onCores(pin, alone ? 'all' : 'first', [node, ...profiling, ...main]),
      this.env,
    );
  }

  async baseline(name: Baseline): Promise<Measured> {
    const command = [process.execPath, ...process.execArgv, join(ROOT, 'bench/baseline/main.ts')];
    const env = { ...this.env, JSON_BY: name };
    const server = await Server.start(this.owned, onCores(this.options.pin, 'first', command), env);
    return measured(name, server);
  }
}

export const measured = (name: Measured['name'], { url, pid }: Server): Measured => ({
  name,
  url,
  pids: () => familyOf(pid),
});

const sourceServer = (): string[] => [
  process.execPath,
  '-r',
  join(ROOT, 'test/support/register.js'),
  join(ROOT, 'src/main.ts'),
];
