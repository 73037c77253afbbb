import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RecordQuery } from '../src/event/persistence/record-query';
import { urlOfRunning } from '../src/shared/persistence/embedded-postgres/running';
import { S3_KEYS, S3Server } from '../test/support/s3-server';
import { DataFolder } from './support/data-folder';
import { describeMachine } from './support/machine';
import { type Owned, owning } from './support/owned';
import { residentMiBOf } from './support/processes';
import { builtServer, KEY, ROOT, Server } from './support/server';

const USAGE = `Measures how many records a second an export moves, beside psql and gzip on the same data.

  npm run build && npm run bench:export -- [--events 1000000] [--rounds 2]

Starts the built server on an embedded database in a new folder, seeds it, and exports one week as one run: to File with
gzip, to an S3 server in this process with gzip, to File as Parquet; each in turn with
  psql -c "COPY (the same query) TO STDOUT" | gzip -6
Needs psql and gzip. Also tells how much memory the server had more with all events than with 10,000.`;

const WEEK = 7 * 24 * 3_600_000;
const FEW = 10_000;

/** The week before this one, Monday to Monday, UTC. */
const monday = Math.floor((Date.now() - Date.UTC(1970, 0, 5)) / WEEK) * WEEK + Date.UTC(1970, 0, 5);
const [start, end] = [new Date(monday - WEEK), new Date(monday)];

interface Measured {
  readonly records: number;
  readonly seconds: number;
  readonly bytes: number;
  /** The server's largest memory meanwhile, in MiB. */
  readonly memory: number | null;
}

class Bench {
  private constructor(
    private readonly server: Server,
    private readonly folder: string,
    private readonly databaseUrl: string,
  ) {}

  static async start(owned: Owned): Promise<Bench> {
    const folder = new DataFolder();
    owned.add(() => folder.remove());
    const server = await Server.start(owned, builtServer(), {
      PATH: process.env.PATH,
      DATA_DIR: folder.path,
      PORT: '0',
      LOG_LEVEL: 'warn',
      BOOTSTRAP_API_KEY: KEY,
    });
    return new Bench(server, folder.path, (await urlOfRunning(folder.path)) ?? '');
  }

  async project(name: string, events: number): Promise<number> {
    const { id } = await this.call<{ id: number }>('POST', '/api/projects/', { name });
    const options = ['--events', events, '--days', 7, '--until', end.toISOString(), '--project', id];
    execFileSync('npx', ['tsx', 'bench/seed.ts', ...options.map(String)], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: this.folder },
      stdio: 'inherit',
    });
    execFileSync('psql', [this.databaseUrl, '-qc', 'VACUUM ANALYZE events']);
    return id;
  }

  /** One run over the week. */
  async exported(project: number, type: string, config: object): Promise<Measured> {
    const base = `/api/projects/${project}/batch_exports/`;
    const destination = { type, config };
    const details = { name: type, interval: 'week', paused: true, destination };
    const { id } = await this.call<{ id: string }>('POST', base, details);
    await this.call('POST', `${base}${id}/backfill/`, { start_at: start, end_at: end });
    let memory = 0;
    for (;;) {
      memory = Math.max(memory, residentMiBOf([this.server.pid]));
      const { results } = await this.call<{ results: Run[] }>('GET', `${base}${id}/runs/`);
      const [run] = results;
      if (run && !['Starting', 'Running'].includes(run.status)) {
        if (run.status !== 'Completed') throw new Error(`${type}: ${run.status}: ${run.latest_error}`);
        const seconds = (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000;
        return { records: run.records_completed, seconds, bytes: run.bytes_exported, memory };
      }
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  /** The same records through psql and gzip, without a server in between. */
  async baseline(project: number): Promise<Measured> {
    const query = await RecordQuery.of({
      projectId: project,
      model: 'events',
      start,
      end,
      includeEvents: null,
      excludeEvents: null,
      query: null,
      after: null,
    });
    const settings = query.values.map((value, index) => `SET hedgerow.v${index + 1} = '${value}'`).join('; ');
    const copy = `COPY (${query.records('json-lines')}) TO STDOUT (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')`;
    const file = join(this.folder, 'baseline.jsonl.gz');
    const begin = performance.now();
    execFileSync(
      'bash',
      ['-o', 'pipefail', '-c', `psql "$URL" -qc "$SETTINGS" -c "$COPY" | gzip -6 > "$FILE"`],
      {
        env: { ...process.env, URL: this.databaseUrl, SETTINGS: settings, COPY: copy, FILE: file },
      },
    );
    const seconds = (performance.now() - begin) / 1000;
    const records = Number(execFileSync('bash', ['-c', `gzip -dc "${file}" | wc -l`], { encoding: 'utf8' }));
    const bytes = statSync(file).size;
    rmSync(file);
    return { records, seconds, bytes, memory: null };
  }

  files(): string[] {
    return readdirSync(join(this.folder, 'exports'), { recursive: true }) as string[];
  }

  private async call<T = unknown>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(this.server.url + path, {
      method,
      // Minutes lie between calls while other programs work: the server has let go of an idle connection by then.
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json', Connection: 'close' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}

interface Run {
  readonly status: string;
  readonly latest_error: string | null;
  readonly records_completed: number;
  readonly bytes_exported: number;
  readonly started_at: string;
  readonly finished_at: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '1000000' },
      rounds: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const [events, rounds] = [Number(values.events), Number(values.rounds)];
  await owning((owned) => compare(owned, events, rounds));
}

async function compare(owned: Owned, events: number, rounds: number): Promise<void> {
  const s3 = await S3Server.start();
  owned.add(() => s3.stop());
  const bench = await Bench.start(owned);
  const few = await bench.project('Few', FEW);
  const many = await bench.project('Many', events);
  const gzip = { compression: 'gzip' };
  const bucket = {
    ...gzip,
    bucket_name: s3.bucket,
    region: 'us-east-1',
    prefix: 'bench',
    endpoint_url: s3.url,
    aws_access_key_id: S3_KEYS.accessKeyId,
    aws_secret_access_key: S3_KEYS.secretAccessKey,
  };
  const kinds: Record<string, (project: number) => Promise<Measured>> = {
    'psql | gzip -6': (project) => bench.baseline(project),
    'File, JSONLines, gzip': (project) => bench.exported(project, 'File', gzip),
    'S3, JSONLines, gzip': async (project) => {
      const measured = await bench.exported(project, 'S3', bucket);
      s3.reset();
      return measured;
    },
    'File, Parquet, snappy': (project) =>
      bench.exported(project, 'File', { file_format: 'Parquet', compression: 'snappy' }),
  };
  const small: Record<string, number | null> = {};
  for (const [name, run] of Object.entries(kinds)) small[name] = (await run(few)).memory;
  const best: Record<string, Measured> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(kinds)) {
      const measured = await run(many);
      if (measured.records !== events) throw new Error(`${name}: ${measured.records} records`);
      const before = best[name];
      if (!before || measured.seconds < before.seconds) best[name] = measured;
    }
  }
  report(best, small);
}

function report(best: Record<string, Measured>, small: Record<string, number | null>): void {
  console.log(`\n${describeMachine()}`);
  const rate = ({ records, seconds }: Measured) => records / seconds;
  const baseline = Object.values(best)[0];
  console.table(
    Object.fromEntries(
      Object.entries(best).map(([name, measured]) => [
        name,
        {
          records: measured.records,
          seconds: Number(measured.seconds.toFixed(1)),
          'records a second': Math.round(rate(measured)),
          'ratio to psql': Number((baseline ? rate(measured) / rate(baseline) : 1).toFixed(2)),
          'MB written': Math.round(measured.bytes / 1e6),
          'RSS, MiB': measured.memory === null ? '' : Math.round(measured.memory),
          'RSS with 10,000, MiB': Math.round(small[name] ?? 0) || '',
        },
      ]),
    ),
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
