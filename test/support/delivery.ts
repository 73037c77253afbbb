import { Readable } from 'node:stream';
import type { Model } from '../../src/batch-export/domain/batch-export';
import {
  cursorOf,
  type DeliveredField,
  type Delivery,
  type DeliveryProgress,
} from '../../src/batch-export/domain/delivery';
import type { LogLevel } from '../../src/batch-export/domain/log-entry';

export type TestRecord = Readonly<Record<string, unknown>>;

const field = (name: string, type: DeliveredField['type']): DeliveredField => ({ name, type });

const FIELDS: Record<Model, readonly DeliveredField[]> = {
  events: [
    field('uuid', 'uuid'),
    field('event', 'text'),
    field('properties', 'json'),
    field('distinct_id', 'text'),
    field('team_id', 'integer'),
    field('timestamp', 'timestamp'),
    field('created_at', 'timestamp'),
    field('person_id', 'uuid'),
    field('elements_chain', 'text'),
    field('set', 'json'),
    field('set_once', 'json'),
  ],
  persons: [
    field('team_id', 'integer'),
    field('distinct_id', 'text'),
    field('person_id', 'uuid'),
    field('properties', 'json'),
    field('person_version', 'integer'),
    field('person_distinct_id_version', 'integer'),
    field('created_at', 'timestamp'),
    field('updated_at', 'timestamp'),
  ],
};

interface Options {
  readonly model?: Model;
  /** Those of a query; else they are the model's. */
  readonly fields?: readonly DeliveredField[];
  readonly start?: string;
  readonly end?: string;
  readonly cursor?: string | null;
  readonly batchExportId?: string;
  /** In bytes: small ones cut records, and their letters, in pieces. */
  readonly chunk?: number;
}

/** The delivery of a run whose records are given. */
export class TestDelivery implements Delivery {
  readonly runId = '0199aaaa-0000-7000-8000-000000000001';
  readonly projectId = 7;
  readonly batchExportId: string;
  readonly model: Model;
  readonly isQuery: boolean;
  readonly fields: readonly DeliveredField[];
  readonly interval: { start: Date; end: Date };
  readonly cursor: string | null;
  /** The streams that were read. */
  readonly streams: Readable[] = [];

  constructor(
    private readonly records: Iterable<TestRecord>,
    private readonly options: Options = {},
  ) {
    this.batchExportId = options.batchExportId ?? '0199aaaa-0000-7000-8000-00000000000e';
    this.model = options.model ?? 'events';
    this.isQuery = options.fields !== undefined;
    this.fields = options.fields ?? FIELDS[this.model];
    this.interval = {
      start: new Date(options.start ?? '2025-01-01T00:00:00Z'),
      end: new Date(options.end ?? '2025-01-01T01:00:00Z'),
    };
    this.cursor = options.cursor ?? null;
  }

  async read(format: 'json-lines' | 'copy-text', after: string | null = null): Promise<Readable> {
    const lineOf = format === 'json-lines' ? jsonLine : (record: TestRecord) => copyLine(this.fields, record);
    const stream = Readable.from(this.chunks(lineOf, after), { objectMode: false });
    this.streams.push(stream);
    return stream;
  }

  private async *chunks(
    lineOf: (record: TestRecord) => string,
    after: string | null,
  ): AsyncGenerator<Buffer> {
    let isAfter = after === null;
    const { chunk = 65_536 } = this.options;
    let waiting = Buffer.alloc(0);
    for (const record of this.records) {
      if (isAfter) waiting = Buffer.concat([waiting, Buffer.from(lineOf(record))]);
      isAfter ||= cursorOf(record as { created_at: string; uuid: string }) === after;
      for (; waiting.length >= chunk; waiting = waiting.subarray(chunk)) yield waiting.subarray(0, chunk);
    }
    if (waiting.length > 0) yield waiting;
  }
}

const jsonLine = (record: TestRecord): string => `${JSON.stringify(record)}\n`;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

const copyLine = (fields: readonly DeliveredField[], record: TestRecord): string =>
  `${fields
    .map(({ name, type }) => {
      const value = record[name];
      if (value === null || value === undefined) return '\\N';
      const text =
        type === 'json' ? JSON.stringify(value) : type === 'boolean' ? String(value)[0] : String(value);
      return (text ?? '').replace(/[\\\b\f\n\r\t\v]/g, (letter) => ESCAPES[letter] ?? letter);
    })
    .join('\t')}\n`;

/** What a writer told. */
export class TestProgress implements DeliveryProgress {
  records = 0;
  bytes = 0;
  readonly cursors: string[] = [];
  readonly logs: [LogLevel, string][] = [];
  confirmed = 0;

  /** @param lost what `confirm` throws */
  constructor(private readonly lost: Error | null = null) {}

  wrote(records: number, bytes: number): void {
    this.records += records;
    this.bytes += bytes;
  }

  reached(cursor: string): void {
    this.cursors.push(cursor);
  }

  log(level: LogLevel, message: string): void {
    this.logs.push([level, message]);
  }

  async confirm(): Promise<void> {
    this.confirmed += 1;
    if (this.lost) throw this.lost;
  }
}

const uuidOf = (number: number): string => `0199bbbb-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
const timeOf = (number: number): string =>
  new Date(Date.UTC(2025, 0, 1) + number).toISOString().replace(/(\.\d{3})Z$/, '$1456Z');

/** The event of this number; the same whenever it is asked for. */
export const eventOf = (number: number, rest: TestRecord = {}): TestRecord => ({
  uuid: uuidOf(number),
  event: `event ${number % 5}`,
  properties: { number },
  distinct_id: `person ${number % 3}`,
  team_id: 7,
  timestamp: timeOf(number),
  created_at: timeOf(number),
  person_id: uuidOf(number % 3),
  elements_chain: null,
  set: null,
  set_once: null,
  ...rest,
});

export const eventsOf = (count: number): TestRecord[] =>
  Array.from({ length: count }, (_, number) => eventOf(number));

/** Events whose values a writer may stumble over. */
export const AWKWARD_EVENTS: readonly TestRecord[] = [
  'plain',
  `quotes ' " \` and $1 %s {0}`,
  'backslashes \\ \\\\ \\n \\N \\. \\x41',
  'tab \t line \n return \r feed \f vertical \v back \b',
  '\\.',
  '\\N',
  '',
  '  spaces  ',
  'ünïcödé 日本語 🦔 \u2028 \u2029 \u0001 \u007f \uffff',
  ',;|:<>&</script>--/*',
].map((text, number) =>
  eventOf(1000 + number, {
    event: text,
    distinct_id: text,
    elements_chain: text,
    properties: { text, [text]: [text, null, true, 1.5, -0.001, 1e21, {}, []] },
    set: { [text]: text },
    set_once: text === '' ? null : { text },
  }),
);
