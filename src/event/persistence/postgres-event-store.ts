import type { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/domain/clock';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { ProjectBusy } from '../domain/capture-errors';
import type { CapturedEvent } from '../domain/captured-event';
import {
  EventStore,
  type RecordField,
  type RecordFormat,
  type RecordModel,
  type Selection,
} from '../domain/event-store';
import { type PersonFacts, personFacts } from '../domain/person-facts';
import type { PersonRoster } from '../domain/person-roster';
import { ArrivalRepository } from './arrival.repository';
import { NeedsToBeAlone, PersonRepository } from './person.repository';
import { RecordQuery } from './record-query';
import { RecordReader } from './record-reader';

const KNOWN = new Statement<{ uuid: string }>(
  'event.known',
  'SELECT uuid FROM events WHERE project_id = $1 AND uuid = ANY($2::uuid[])',
);

const APPEND = new Statement<{ count: number }>(
  'event.append',
  `WITH new AS (
     INSERT INTO events (project_id, created_at, uuid, event, distinct_id, person_id, timestamp, elements_chain, set,
                         set_once, properties)
     SELECT $1, $2, * FROM unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::timestamptz[], $8::text[],
                                  $9::json[], $10::json[], $11::json[])
     ON CONFLICT DO NOTHING RETURNING uuid)
   SELECT count(*)::int AS count FROM new`,
);

const EARLIEST: Record<RecordModel, Statement<{ at: Date }>> = {
  events: new Statement(
    'event.earliest',
    'SELECT created_at AS at FROM events WHERE project_id = $1 ORDER BY created_at LIMIT 1',
  ),
  persons: new Statement(
    'person.earliest',
    'SELECT updated_at AS at FROM persons WHERE project_id = $1 ORDER BY updated_at LIMIT 1',
  ),
};

interface Told {
  readonly event: CapturedEvent;
  readonly facts: PersonFacts;
}

const SILENT = { identifies: false, change: null, link: null };

/** How many events one transaction keeps: the properties of so many persons fit into memory. */
const LARGEST_PART = 500;

/** In milliseconds. */
const PAUSES = [20, 50, 100, 200, 400];

/** Events and persons as rows of PostgreSQL (ADR 12). */
@Injectable()
export class PostgresEventStore extends EventStore {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly arrivals: ArrivalRepository,
    private readonly persons: PersonRepository,
    private readonly reader: RecordReader,
  ) {
    super();
  }

  async append(projectId: number, events: readonly CapturedEvent[], arrivedAt?: Date): Promise<number> {
    let added = 0;
    for (let start = 0; start < events.length; start += LARGEST_PART) {
      const part = events.slice(start, start + LARGEST_PART);
      added += await patiently(() => this.appendPart(projectId, part, arrivedAt));
    }
    return added;
  }

  close(projectId: number, until: Date): Promise<void> {
    return this.arrivals.close(projectId, until);
  }

  async earliest(projectId: number, model: RecordModel): Promise<Date | null> {
    const [row] = await this.transaction.rows(EARLIEST[model], [projectId]);
    return row?.at ?? null;
  }

  fieldsOf(selection: Pick<Selection, 'model' | 'query'>): Promise<readonly RecordField[]> {
    return RecordQuery.fieldsOf(selection);
  }

  count(selection: Selection, signal?: AbortSignal): Promise<number> {
    return this.reader.count(selection, signal);
  }

  read(selection: Selection, format: RecordFormat): Promise<Readable> {
    return this.reader.read(selection, format);
  }

  private async appendPart(
    projectId: number,
    events: readonly CapturedEvent[],
    arrivedAt: Date | undefined,
  ): Promise<number> {
    const told = events.map((event) => ({ event, facts: personFacts(event) }));
    try {
      return await this.write(projectId, told, arrivedAt, 'shared');
    } catch (error) {
      if (!(error instanceof NeedsToBeAlone)) throw error;
      return this.write(projectId, told, arrivedAt, 'exclusive');
    }
  }

  /**
   * Batches arrive side by side, and change persons side by side. One in which two persons turn out to be one, or that
   * makes a person whom another one makes as well, does so alone.
   * @throws NeedsToBeAlone unless it is
   */
  private write(
    projectId: number,
    told: readonly Told[],
    arrivedAt: Date | undefined,
    mode: 'shared' | 'exclusive',
  ): Promise<number> {
    return this.transaction.run(async () => {
      const at = await this.arrivals.begin(projectId, arrivedAt ?? this.clock.now(), mode);
      const roster = await this.rosterOf(projectId, told);
      if (mode === 'shared' && roster.absorbed.length > 0) throw new NeedsToBeAlone();
      await this.persons.save(projectId, roster, at);
      const columns = columnsOf(told, roster);
      const [row] = await this.transaction.rows(APPEND, [projectId, at, ...columns]);
      return row?.count ?? 0;
    });
  }

  private async rosterOf(projectId: number, told: readonly Told[]): Promise<PersonRoster> {
    const telling = told.filter(({ facts }) => facts.change || facts.link || facts.identifies);
    // What is told twice must not undo what was told in between.
    const known = telling.length === 0 ? new Set() : await this.knownOf(projectId, telling);
    const news = telling.filter(({ event }) => !known.has(event.uuid));
    const idsOf = ({ event, facts }: Told) => [event.distinctId, ...(facts.link ? [facts.link.otherId] : [])];
    const roster = await this.persons.roster(
      projectId,
      [...new Set(told.flatMap(idsOf))],
      [...new Set(news.flatMap(idsOf))],
    );
    for (const { event, facts } of told) {
      const { hasPerson } = facts;
      roster.apply(event.distinctId, known.has(event.uuid) ? { ...SILENT, hasPerson } : facts);
    }
    return roster;
  }

  private async knownOf(projectId: number, told: readonly Told[]): Promise<Set<string>> {
    const rows = await this.transaction.rows(KNOWN, [projectId, told.map(({ event }) => event.uuid)]);
    return new Set(rows.map(({ uuid }) => uuid));
  }
}

/** Tries again for a while, and keeps no connection meanwhile, when somebody changes the project. */
async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ProjectBusy)) throw error;
    }
    await setTimeout(pause);
  }
  return work();
}

function columnsOf(told: readonly Told[], roster: PersonRoster): unknown[] {
  const events = told.map(({ event }) => event);
  const json = (value: unknown) => (value === undefined || value === null ? null : JSON.stringify(value));
  return [
    events.map(({ uuid }) => uuid),
    events.map(({ event }) => event),
    events.map(({ distinctId }) => distinctId),
    events.map(({ distinctId }) => roster.personIdOf(distinctId)),
    events.map(({ timestamp }) => timestamp),
    events.map(({ properties: { $elements_chain } }) =>
      typeof $elements_chain === 'string' ? $elements_chain : null,
    ),
    events.map(({ properties }) => json(properties.$set)),
    events.map(({ properties }) => json(properties.$set_once)),
    events.map(({ properties }) => json(properties)),
  ];
}
