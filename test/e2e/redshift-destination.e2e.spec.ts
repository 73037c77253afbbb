import { RedshiftWriter } from '../../src/batch-export/destinations/redshift.writer';
import { type DeliveredField, DeliveryFailed } from '../../src/batch-export/domain/delivery';
import type { Config } from '../../src/batch-export/domain/destination-rules';
import { Settings } from '../../src/config/settings';
import { AWKWARD_EVENTS, eventOf, eventsOf, TestDelivery, TestProgress } from '../support/delivery';
import { until } from '../support/server-process';
import { TargetDatabase } from '../support/target-database';
import { TcpProxy } from '../support/tcp-proxy';

/** PostgreSQL stands in for Redshift, as far as they speak the same SQL. */
describe('The destination Redshift', () => {
  const writer = new RedshiftWriter(
    Settings.from({
      SECRET_KEY: 'a secret key for tests and for tests alone',
      DATABASE_URL: 'postgres://h/d',
    }),
  );
  let target: TargetDatabase;

  beforeAll(async () => {
    target = await TargetDatabase.create();
  });
  afterEach(async () => {
    await until(async () => (await target.sessions()) === 0);
    await target.rows('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  });
  afterAll(() => target.drop());

  const write = async (
    delivery: TestDelivery,
    config: Config = {},
    signal = new AbortController().signal,
  ): Promise<TestProgress> => {
    const progress = new TestProgress();
    const complete = target.config({ mode: 'INSERT', properties_data_type: 'varchar', ...config });
    await writer.write(complete, delivery, progress, signal);
    return progress;
  };
  const failureOf = (...args: Parameters<typeof write>): Promise<unknown> =>
    write(...args).then(
      () => 'it was written',
      (error: unknown) => error,
    );
  const failed = (isTransient: boolean, message: unknown) =>
    expect.objectContaining({ constructor: DeliveryFailed, isTransient, message });
  const numbers = async () =>
    (
      await target.rows<{ n: number }>(
        "SELECT (properties::json->>'number')::int AS n FROM events ORDER BY 1",
      )
    ).map(({ n }) => n);
  const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);
  const typesOf = async (table: string) =>
    (
      await target.rows<{ name: string; type: string }>(
        `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a
          WHERE a.attrelid = $1::regclass AND a.attnum > 0 ORDER BY a.attnum`,
        [table],
      )
    ).map(({ name, type }) => `${name} ${type}`);

  it('gets events in a table of its types, with every value as it was', async () => {
    const events = [...eventsOf(20), ...AWKWARD_EVENTS];
    const progress = await write(new TestDelivery(events, { chunk: 11 }));
    expect(await typesOf('events')).toEqual([
      'uuid character varying(36)',
      'event character varying(65535)',
      'properties character varying(65535)',
      'distinct_id character varying(65535)',
      'team_id bigint',
      'timestamp timestamp with time zone',
      'created_at timestamp with time zone',
      'person_id character varying(36)',
      'elements_chain character varying(65535)',
      'set character varying(65535)',
      'set_once character varying(65535)',
    ]);
    const iso = (name: string) =>
      `to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS ${name}`;
    const rows = await target.rows(`
      SELECT uuid, event, properties::json, distinct_id, team_id::int, ${iso('timestamp')}, ${iso('created_at')}, person_id,
             elements_chain, set::json, set_once::json FROM events ORDER BY created_at`);
    expect(rows).toEqual(events);
    expect([progress.records, progress.confirmed]).toEqual([30, 1]);
  });

  it('gets many, in more statements than one, once however often and at the same time', async () => {
    const events = eventsOf(2500);
    await Promise.all([write(new TestDelivery(events)), write(new TestDelivery(events))]);
    const again = await write(new TestDelivery(eventsOf(2600)));
    expect(await numbers()).toEqual(upTo(2600));
    expect(again.logs).toEqual([['INFO', '2500 of 2600 records were in "public"."events" already']]);
  });

  it('gets JSON as SUPER', async () => {
    // What PostgreSQL lacks of it.
    await target.rows(`
      CREATE DOMAIN super AS jsonb;
      CREATE FUNCTION json_parse(text) RETURNS jsonb LANGUAGE sql RETURN $1::jsonb`);
    await write(new TestDelivery(AWKWARD_EVENTS), { properties_data_type: 'super' });
    expect(await typesOf('events')).toEqual(
      expect.arrayContaining(['properties super', 'set super', 'set_once super']),
    );
    expect(await target.rows('SELECT properties, set_once FROM events ORDER BY created_at')).toEqual(
      AWKWARD_EVENTS.map(({ properties, set_once }) => ({ properties, set_once })),
    );
  });

  it('gets persons, and the records of a query, as PostgreSQL does', async () => {
    const person = { team_id: 7, distinct_id: 'a', properties: {}, person_distinct_id_version: 0 };
    for (const person_version of [1, 3, 2]) {
      await write(new TestDelivery([{ ...person, person_version }], { model: 'persons' }), {
        table_name: 'people',
      });
    }
    expect(await target.rows('SELECT person_version::int FROM people')).toEqual([{ person_version: 3 }]);
    const fields: DeliveredField[] = [
      { name: 'yes', type: 'boolean' },
      { name: 'n', type: 'integer' },
    ];
    const query = (...values: number[]) =>
      new TestDelivery(
        values.map((n) => ({ n, yes: n > 1 })),
        { fields },
      );
    await write(query(1, 1, 2), { table_name: 'queried' });
    await write(query(2, 2), { table_name: 'queried' });
    expect(await target.rows('SELECT yes, n::int FROM queried')).toEqual([
      { yes: true, n: 2 },
      { yes: true, n: 2 },
    ]);
  });

  it('refuses what does not fit, and has written nothing', async () => {
    const long = eventOf(1500, { properties: { long: 'x'.repeat(70_000) } });
    expect(await failureOf(new TestDelivery([...eventsOf(1500), long]))).toEqual(
      failed(false, 'value too long for type character varying(65535)'),
    );
    expect(await numbers()).toEqual([]);
    await target.rows('DROP TABLE events; CREATE TABLE events (uuid text)');
    expect(await failureOf(new TestDelivery([]))).toEqual(
      failed(false, expect.stringMatching(/^Table "public"\."events" differs .*; and 5 more$/)),
    );
  });

  it('loses its connection, or is ended, without a trace', async () => {
    const proxy = await TcpProxy.to(target.port);
    let sent = 0;
    proxy.up = (bytes) => {
      sent += bytes.length;
      return sent > 500_000 ? 'cut' : 'pass';
    };
    const many = new TestDelivery(eventsOf(3000));
    expect(await failureOf(many, { port: proxy.port })).toEqual(failed(true, expect.any(String)));
    await proxy.stop();
    const stop = new AbortController();
    const records = (function* () {
      for (let number = 0; ; number += 1) {
        if (number === 1700) stop.abort();
        yield eventOf(number);
      }
    })();
    const endless = new TestDelivery(records);
    expect(await failureOf(endless, {}, stop.signal)).toBe(stop.signal.reason);
    expect([...many.streams, ...endless.streams].every(({ destroyed }) => destroyed)).toBe(true);
    expect(await numbers()).toEqual([]);
    await write(many);
    expect(await numbers()).toEqual(upTo(3000));
  });
});
