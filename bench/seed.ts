import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { Settings, WrongSettings } from '../src/config/settings';
import type { CapturedEvent } from '../src/event/domain/captured-event';
import { ArrivalRepository } from '../src/event/persistence/arrival.repository';
import { PersonRepository } from '../src/event/persistence/person.repository';
import { PostgresEventStore } from '../src/event/persistence/postgres-event-store';
import { RecordReader } from '../src/event/persistence/record-reader';
import { ProjectRepository } from '../src/project/persistence/project.repository';
import { SystemClock } from '../src/shared/domain/clock';
import { createDataSource } from '../src/shared/persistence/data-source';
import { urlOfRunning } from '../src/shared/persistence/embedded-postgres/running';
import { SpareConnections } from '../src/shared/persistence/spare-connections';
import { Statement } from '../src/shared/persistence/statement';
import { Transaction } from '../src/shared/persistence/transaction';
import { CurrentRequest } from '../src/shared/request/current-request';
import { Shop } from './plausible';

const USAGE = `Fills a project with plausible events and persons, as if they had arrived over the past days.

  npm run seed -- [--events 100000] [--days 7] [--until 2026-01-31] [--project ID]

In the database of DATABASE_URL, else in the one that a running server keeps in DATA_DIR. The project is the oldest one,
unless it is named. What an export has read already is closed: events for that time arrive at its end.`;

const LINES_AT_ONCE = 4;
const LARGEST_BATCH = 1_000;
const BATCHES_OF_A_DAY = 24 * 6;

/** What whoever runs this can mend. */
class CannotSeed extends Error {}

const FIND_PROJECT = new Statement<{ id: number; name: string }>(
  '',
  'SELECT id, name FROM projects WHERE $1::integer IS NULL OR id = $1 ORDER BY id LIMIT 1',
);

function wholeNumber(text: string, name: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new CannotSeed(`--${name} must be a whole number from 1.`);
  return number;
}

function moment(text: string): number {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || date.getTime() > Date.now())
    throw new CannotSeed('--until must be a past date, such as 2026-01-31 or 2026-01-31T12:00Z.');
  return date.getTime();
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '100000' },
      days: { type: 'string', default: '7' },
      until: { type: 'string' },
      project: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  return {
    events: wholeNumber(values.events, 'events'),
    days: wholeNumber(values.days, 'days'),
    until: values.until === undefined ? Date.now() : moment(values.until),
    project: values.project === undefined ? null : wholeNumber(values.project, 'project'),
    help: values.help,
  };
}

async function main(): Promise<void> {
  const options = readOptions();
  if (options.help) return console.log(USAGE);
  const settings = Settings.from({ SECRET_KEY: 'x'.repeat(32), ...process.env });
  const url = settings.databaseUrl ?? (await urlOfRunning(settings.dataDir));
  if (url === null) {
    throw new CannotSeed(`No server runs in ${settings.dataDir}. Start it (npm start), or set DATABASE_URL.`);
  }
  const dataSource = await createDataSource({ url, poolSize: LINES_AT_ONCE }).initialize();
  try {
    const database = settings.withDatabase(url);
    const transaction = new Transaction(dataSource, new CurrentRequest(), new SpareConnections(database));
    await seed(transaction, database, options);
  } finally {
    await dataSource.destroy();
  }
}

async function seed(
  transaction: Transaction,
  settings: Settings,
  { events, days, until, project: wanted }: ReturnType<typeof readOptions>,
): Promise<void> {
  const [project] = await transaction.rows(FIND_PROJECT, [wanted]);
  if (!project)
    throw new CannotSeed(wanted === null ? 'There is no project.' : `There is no project ${wanted}.`);
  const store = new PostgresEventStore(
    transaction,
    new SystemClock(),
    new ArrivalRepository(transaction),
    new PersonRepository(transaction),
    new RecordReader(settings),
  );
  const started = Date.now();
  const batches = batchesOf(events, days, until);
  let kept = 0;
  const write = async () => {
    for (let next = batches.next(); !next.done; next = batches.next()) {
      const { arrivedAt, batch } = next.value;
      const added = await store.append(project.id, batch, arrivedAt);
      kept += added;
    }
  };
  await Promise.all(Array.from({ length: LINES_AT_ONCE }, write));
  await new ProjectRepository(transaction).eventCame(project.id);
  const seconds = (Date.now() - started) / 1000;
  console.log(
    `${kept} events of ${days} days are in project ${project.id} (${project.name}): ` +
      `${seconds.toFixed(1)} s, ${Math.round(kept / seconds)} a second`,
  );
}

/** Evenly over the days up to a moment, in batches of ten minutes each, unless these would be very large or small. */
function* batchesOf(
  events: number,
  days: number,
  until: number,
): Generator<{ arrivedAt: Date; batch: CapturedEvent[] }, void> {
  const shop = new Shop(Math.max(10, Math.ceil(events / 50)), until);
  const size = Math.min(LARGEST_BATCH, Math.max(20, Math.ceil(events / (days * BATCHES_OF_A_DAY))));
  const span = days * 24 * 3_600_000;
  for (let made = 0; made < events; made += size) {
    const arrivedAt = new Date(until - span + Math.floor((span * made) / events));
    const batch = Array.from({ length: Math.min(size, events - made) }, () => shop.next(arrivedAt));
    yield { arrivedAt, batch };
  }
}

main().catch((error: unknown) => {
  const known = error instanceof CannotSeed || error instanceof WrongSettings;
  console.error(known ? (error as Error).message : error);
  process.exit(1);
});
