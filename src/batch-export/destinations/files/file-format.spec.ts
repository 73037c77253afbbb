import { Readable } from 'node:stream';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import {
  AWKWARD_EVENTS,
  eventOf,
  eventsOf,
  TestDelivery,
  type TestRecord,
} from '../../../../test/support/delivery';
import { readRecords } from '../../../../test/support/read-records';
import type { DeliveredField } from '../../domain/delivery';
import { fileFormatOf } from './file-format';

const FORMATS = [
  ['JSONLines', null, '.jsonl'],
  ['JSONLines', 'gzip', '.jsonl.gz'],
  ['JSONLines', 'brotli', '.jsonl.br'],
  ['Parquet', null, '.parquet'],
  ['Parquet', 'zstd', '.parquet.zst'],
  ['Parquet', 'lz4', '.parquet.lz4'],
  ['Parquet', 'snappy', '.parquet.sz'],
  ['Parquet', 'gzip', '.parquet.gz'],
  ['Parquet', 'brotli', '.parquet.br'],
] as const;

async function encoded(
  file_format: string,
  compression: string | null,
  delivery: TestDelivery,
): Promise<Buffer> {
  const format = fileFormatOf({ file_format, compression });
  const source = await delivery.read(format.reads);
  return Buffer.concat(await Readable.from(format.encode(source, delivery.fields)).toArray());
}

describe.each(FORMATS)('A file of %s with compression %s', (file_format, compression, suffix) => {
  const readBack = async (delivery: TestDelivery): Promise<TestRecord[]> =>
    readRecords(suffix, await encoded(file_format, compression, delivery), delivery.fields);

  it(`is called ${suffix}`, () => {
    expect(fileFormatOf({ file_format, compression }).suffix).toBe(suffix);
  });

  it.each([1, 7, 65_536])(
    'holds every value of every record as it was, in chunks of %s bytes',
    async (chunk) => {
      await expect(readBack(new TestDelivery(AWKWARD_EVENTS, { chunk }))).resolves.toEqual(AWKWARD_EVENTS);
    },
  );

  it('holds properties of a megabyte and none', async () => {
    const large = 'größer\\"\t🦔'.repeat(80_000);
    const records = [
      eventOf(1, { properties: { large } }),
      eventOf(2, { properties: {} }),
      eventOf(3, { event: large, properties: null, distinct_id: '' }),
    ];
    await expect(readBack(new TestDelivery(records))).resolves.toEqual(records);
  });

  it('holds more records than a page, in their order', async () => {
    const records = eventsOf(3_000).map((event, number) => ({
      ...event,
      properties: { number, text: 'some more '.repeat(100) },
      set: number % 3 === 0 ? { number } : null,
      elements_chain: number % 7 === 0 ? `chain ${number}` : null,
    }));
    await expect(readBack(new TestDelivery(records))).resolves.toEqual(records);
  });

  it('holds the fields of a query, of every type', async () => {
    const fields: DeliveredField[] = [
      { name: 'a text', type: 'text' },
      { name: 'integer', type: 'integer' },
      { name: 'float', type: 'float' },
      { name: 'boolean', type: 'boolean' },
      { name: 'json', type: 'json' },
      { name: 'timestamp', type: 'timestamp' },
    ];
    const nothing = Object.fromEntries(fields.map(({ name }) => [name, null]));
    const records = Array.from({ length: 41 }, (_, number) =>
      number % 4 === 3
        ? nothing
        : {
            'a text': `${number}`,
            integer: (number - 20) * 2 ** 40,
            float: (number - 20) / 3,
            boolean: number % 5 < 2,
            json: number % 2 ? [number, null] : number,
            timestamp: `${1900 + number * 200}-02-28T23:59:59.${String(number).padStart(6, '0')}Z`,
          },
    );
    await expect(readBack(new TestDelivery(records, { fields }))).resolves.toEqual(records);
  });

  it('can be empty', async () => {
    await expect(readBack(new TestDelivery([]))).resolves.toEqual([]);
  });

  it('fails as its source does', async () => {
    const format = fileFormatOf({ file_format, compression });
    const lost = new Error('the connection was cut');
    const source = Readable.from(
      (async function* () {
        yield Buffer.from('{"uuid":');
        throw lost;
      })(),
    );
    await expect(Readable.from(format.encode(source, [])).toArray()).rejects.toBe(lost);
  });
});

describe('A Parquet file', () => {
  it('has row groups, so that a part of it is enough memory', async () => {
    const text = 'abc'.repeat(350_000);
    const records = eventsOf(40).map((event, number) => ({ ...event, properties: { text: text + number } }));
    const delivery = new TestDelivery(records);
    const file = await encoded('Parquet', 'lz4', delivery);
    const groups = parquetMetadata(Uint8Array.from(file).buffer).row_groups;
    expect(groups.map(({ num_rows }) => num_rows)).toEqual([16n, 16n, 8n]);
    await expect(readRecords('.parquet', file, delivery.fields)).resolves.toEqual(records);
  });

  it.each([
    ['integer', '9223372036854775808', 'whole number of 64 bits'],
    ['integer', '1.5', 'whole number of 64 bits'],
    ['float', 'much', 'number'],
    ['boolean', 'yes', 'truth value'],
    ['timestamp', 'infinity', 'moment'],
  ] as const)('holds no %s of %s', async (type, value, what) => {
    const delivery = new TestDelivery([{ it: value }], {
      fields: [{ name: 'it', type: type === 'boolean' ? 'text' : type }],
    });
    const fields = [{ name: 'it', type }];
    const format = fileFormatOf({ file_format: 'Parquet', compression: null });
    const source = await delivery.read('copy-text');
    await expect(Readable.from(format.encode(source, fields)).toArray()).rejects.toThrow(
      `${value} in field 'it' is no ${what}`,
    );
  });

  it('holds numbers that are none of JSON, and the ends of 64 bits', async () => {
    const fields = [
      { name: 'float', type: 'float' as const },
      { name: 'integer', type: 'integer' as const },
    ];
    const floats = ['NaN', 'Infinity', '-Infinity', '1e-7'];
    const integers = ['9223372036854775807', '-9223372036854775808', '0', '-1'];
    const records = floats.map((float, index) => ({ float, integer: integers[index] }));
    const file = await encoded('Parquet', null, new TestDelivery(records, { fields }));
    await expect(parquetReadObjects({ file: Uint8Array.from(file).buffer })).resolves.toEqual(
      floats.map((float, index) => ({ float: Number(float), integer: BigInt(integers[index] ?? '') })),
    );
  });

  it('tells the first and the last moment of a row group, and how many values are none', async () => {
    const records = eventsOf(10);
    const file = await encoded('Parquet', 'zstd', new TestDelivery(records));
    const [group] = parquetMetadata(Uint8Array.from(file).buffer).row_groups;
    const of = (name: string) =>
      group?.columns.find(({ meta_data }) => meta_data?.path_in_schema[0] === name)?.meta_data?.statistics;
    expect(of('timestamp')).toMatchObject({
      min_value: new Date('2025-01-01T00:00:00.000Z'),
      max_value: new Date('2025-01-01T00:00:00.009Z'),
      null_count: 0n,
    });
    expect(of('set')).toMatchObject({ null_count: 10n });
  });
});
