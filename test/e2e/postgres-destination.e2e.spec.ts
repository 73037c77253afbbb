import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { PostgresWriter } from '../../src/batch-export/destinations/postgres.writer';
import { type DeliveredField, DeliveryFailed } from '../../src/batch-export/domain/delivery';
import type { Config } from '../../src/batch-export/domain/destination-rules';
import { Settings } from '../../src/config/settings';
import { AWKWARD_EVENTS, eventOf, eventsOf, TestDelivery, TestProgress } from '../support/delivery';
import { until } from '../support/server-process';
import { TargetDatabase } from '../support/target-database';
import { TcpProxy } from '../support/tcp-proxy';

const settings = (env: NodeJS.ProcessEnv = {}) =>
  Settings.from({
    SECRET_KEY: 'a secret key for tests and for tests alone',
    DATABASE_URL: 'postgres://h/d',
    ...env,
  });

class ImpatientWriter extends PostgresWriter {
  protected override readonly patience = { connect: 300, statement: 60_000, work: 60_000, stall: 300 };
}

/** A DataRow of one value. */
function row(value: Buffer): Buffer {
  const head = Buffer.alloc(11);
  head.write('D');
  head.writeUInt32BE(10 + value.length, 1);
  head.writeUInt16BE(1, 5);
  head.writeUInt32BE(value.length, 7);
  return Buffer.concat([head, value]);
}

const NEVER = new AbortController().signal;

const COLUMNS =
  'uuid, event, properties, distinct_id, team_id::int, person_id, elements_chain, set, set_once';

const failed = (isTransient: boolean, message: unknown) =>
  expect.objectContaining({ constructor: DeliveryFailed, isTransient, message });

describe('The destination Postgres', () => {
  let target: TargetDatabase;
  const writer = new PostgresWriter(settings());

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
    { progress = new TestProgress(), signal = NEVER, by = writer } = {},
  ): Promise<TestProgress> => {
    await by.write(target.config(config), delivery, progress, signal);
    return progress;
  };
  const failureOf = (...args: Parameters<typeof write>): Promise<unknown> =>
    write(...args).then(
      () => 'it was written',
      (error: unknown) => error,
    );
  const numbers = async (table = 'events') =>
    (
      await target.rows<{ n: number }>(`SELECT (properties->>'number')::int AS n FROM ${table} ORDER BY 1`)
    ).map(({ n }) => n);
  const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);

  describe('takes events', () => {
    it('into a table that it makes, with every value as it was', async () => {
      const events = [...eventsOf(50), ...AWKWARD_EVENTS];
      const delivery = new TestDelivery(events, { chunk: 7 });
      const progress = await write(delivery);
      const columns = await target.rows(`
        SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'events' ORDER BY ordinal_position`);
      expect(columns.map(({ column_name, data_type }) => `${column_name} ${data_type}`)).toEqual([
        'uuid uuid',
        'event text',
        'properties jsonb',
        'distinct_id text',
        'team_id bigint',
        'timestamp timestamp with time zone',
        'created_at timestamp with time zone',
        'person_id uuid',
        'elements_chain text',
        'set jsonb',
        'set_once jsonb',
      ]);
      const iso = (name: string) =>
        `to_char(${name} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS ${name}`;
      const rows = await target.rows(
        `SELECT ${COLUMNS}, ${iso('timestamp')}, ${iso('created_at')} FROM events ORDER BY created_at`,
      );
      expect(rows).toEqual(events);
      expect([progress.records, progress.confirmed, progress.cursors]).toEqual([60, 1, []]);
      expect(progress.bytes).toBeGreaterThan(60 * 100);
      expect(progress.logs).toEqual([['INFO', 'Made the table "public"."events"']]);
      expect(delivery.streams.every(({ destroyed }) => destroyed)).toBe(true);
    });

    it('with values of a megabyte, and none at all', async () => {
      const large = 'ü"\\'.repeat(300_000);
      await write(new TestDelivery([]));
      await write(new TestDelivery([eventOf(1, { properties: { number: 1, large } }), eventOf(2)]));
      expect(await numbers()).toEqual([1, 2]);
      const [row] = await target.rows<{ large: string }>(
        "SELECT properties->>'large' AS large FROM events ORDER BY uuid",
      );
      expect(row?.large === large).toBe(true);
    });

    it('once, however often it is repeated', async () => {
      await write(new TestDelivery(eventsOf(30)));
      const progress = await write(new TestDelivery(eventsOf(40)));
      expect(await numbers()).toEqual(upTo(40));
      expect(progress.logs).toEqual([['INFO', '30 of 40 records were in "public"."events" already']]);
    });

    it('once, where two attempts make and fill the table at the same time', async () => {
      const events = eventsOf(2000);
      const attempts = upTo(6).map(() => write(new TestDelivery(events)));
      await Promise.all(attempts);
      expect(await numbers()).toEqual(upTo(2000));
    });

    it('into a table of another name and owner, without an index, with columns of its own', async () => {
      await target.rows(`
        CREATE SCHEMA "sche.""ma";
        CREATE TABLE "sche.""ma"."Ta ""ble;" (
          id bigserial, loaded_at timestamptz DEFAULT now(), set_once json, set jsonb, uuid uuid, event varchar(200),
          properties jsonb, distinct_id varchar(200), team_id integer, "timestamp" timestamptz, created_at timestamptz,
          person_id uuid, elements_chain text)`);
      const config = { schema: 'sche."ma', table_name: 'Ta "ble;' };
      expect((await write(new TestDelivery(eventsOf(3)), config)).logs).toEqual([]);
      await write(new TestDelivery(eventsOf(5)), config);
      expect(await numbers('"sche.""ma"."Ta ""ble;"')).toEqual(upTo(5));
      const long = eventOf(9, { event: 'x'.repeat(201) });
      expect(await failureOf(new TestDelivery([long]), config)).toEqual(
        failed(false, 'value too long for type character varying(200)'),
      );
      expect(await numbers('"sche.""ma"."Ta ""ble;"')).toEqual(upTo(5));
      await target.rows('DROP SCHEMA "sche.""ma" CASCADE');
    });

    it('never into a table that differs, which it leaves alone', async () => {
      await target.rows(`CREATE TABLE events (uuid text, event text, properties jsonb, distinct_id text, team_id bigint,
        "timestamp" timestamp, created_at timestamptz, elements_chain text, set jsonb, set_once jsonb)`);
      const before = await target.rows(
        `SELECT * FROM information_schema.columns WHERE table_name = 'events'`,
      );
      expect(await failureOf(new TestDelivery(eventsOf(3)))).toEqual(
        failed(
          false,
          'Table "public"."events" differs from what is exported, and is left as it is: column "uuid" is text, not ' +
            'uuid; column "timestamp" is timestamp without time zone, not timestamp with time zone; column ' +
            '"person_id" (uuid) is missing',
        ),
      );
      expect(
        await target.rows(`SELECT * FROM information_schema.columns WHERE table_name = 'events'`),
      ).toEqual(before);
      expect(await target.rows('SELECT * FROM events')).toEqual([]);
    });
  });

  describe('takes persons', () => {
    const person = (
      distinct_id: string,
      [person_distinct_id_version, person_version]: number[],
      name: string,
    ) => ({
      team_id: 7,
      distinct_id,
      person_id: '0199cccc-0000-7000-8000-000000000001',
      properties: { name },
      person_version,
      person_distinct_id_version,
      created_at: '2025-01-01T00:00:00Z',
      updated_at: '2025-01-01T00:00:01Z',
    });
    const names = () =>
      target.rows(`SELECT distinct_id AS id, properties->>'name' AS name FROM events ORDER BY distinct_id`);
    const persons = (...records: ReturnType<typeof person>[]) =>
      new TestDelivery(records, { model: 'persons' });

    it.each(['', 'without a key'])('the newest version of each distinct id stays %s', async (noKey) => {
      await write(
        persons(person('a', [0, 1], 'a1'), person('b', [0, 5], 'b5'), person('c', [1, 1], 'moved')),
      );
      if (noKey) await target.rows('ALTER TABLE events DROP CONSTRAINT events_pkey');
      await write(
        persons(person('a', [0, 2], 'a2'), person('b', [0, 4], 'b4'), person('c', [0, 9], 'before')),
      );
      const newest = [
        { id: 'a', name: 'a2' },
        { id: 'b', name: 'b5' },
        { id: 'c', name: 'moved' },
      ];
      expect(await names()).toEqual(newest);
      await write(
        persons(person('a', [0, 1], 'a1'), person('b', [0, 5], 'b5'), person('c', [1, 1], 'moved')),
      );
      expect(await names()).toEqual(newest);
    });
  });

  describe('takes the records of a query', () => {
    const fields: readonly DeliveredField[] = [
      { name: 'name', type: 'text' },
      { name: 'is "it"', type: 'boolean' },
      { name: 'much', type: 'float' },
    ];
    const HOURS = ['00', '01', '02'].map((hour) => ({ start: `2025-01-01T${hour}:00:00Z` }));
    const query = (hour: number, names: string[], rest = {}) =>
      new TestDelivery(
        names.map((name) => ({ name, 'is "it"': true, much: 0.1 })),
        { fields, ...HOURS[hour], end: `2025-01-01T0${hour + 1}:00:00Z`, ...rest },
      );
    const names = async () =>
      (await target.rows<{ name: string }>('SELECT name FROM events ORDER BY name COLLATE "C"')).map(
        ({ name }) => name,
      );

    it('as often as they are there, once for each interval', async () => {
      await write(query(0, ['same', 'same', 'a']));
      await write(query(1, ['same', 'b']));
      await write(query(0, ['same', 'same', 'a']));
      expect(await names()).toEqual(['a', 'b', 'same', 'same', 'same']);
      expect(await target.rows('SELECT * FROM events WHERE name = $1', ['a'])).toEqual([
        {
          name: 'a',
          'is "it"': true,
          much: 0.1,
          _hedgerow_interval:
            '0199aaaa-0000-7000-8000-00000000000e/2025-01-01T00:00:00Z/2025-01-01T01:00:00Z',
        },
      ]);
      await target.rows('TRUNCATE events');
      await write(query(0, ['again']));
      expect(await names()).toEqual(['again']);
    });

    it('anew when the interval is repeated, but for no other interval or export', async () => {
      const other = { batchExportId: '0199aaaa-0000-7000-8000-00000000000f' };
      await write(query(0, ['other'], other));
      for (const hour of [0, 1, 2]) await write(query(hour, [`hour ${hour}`]));
      await write(query(1, ['anew']));
      expect(await names()).toEqual(['anew', 'hour 0', 'hour 2', 'other']);
      // The export runs every day from now on.
      await write(query(0, ['day'], { end: '2025-01-02T00:00:00Z' }));
      expect(await names()).toEqual(['day', 'other']);
      // Going back, an hour does not take the day with it.
      await write(query(0, ['hour']));
      expect(await names()).toEqual(['day', 'hour', 'other']);
    });

    it('once, where attempts run at the same time', async () => {
      await Promise.all(upTo(4).map(() => write(query(0, ['a', 'b', 'b']))));
      expect(await names()).toEqual(['a', 'b', 'b']);
    });

    it('not under names that a table cannot have', async () => {
      const long = [{ name: 'é'.repeat(32), type: 'text' as const }];
      expect(await failureOf(new TestDelivery([], { fields: long }))).toEqual(
        failed(false, expect.stringContaining('has a name of over 63 bytes')),
      );
    });
  });

  describe('with a connection that fails', () => {
    let proxy: TcpProxy;
    beforeEach(async () => {
      proxy = await TcpProxy.to(target.port);
    });
    afterEach(() => proxy.stop());

    const many = () => new TestDelivery(eventsOf(3000), { chunk: 16_384 });

    it('amid the records has written nothing, and is repeated well', async () => {
      let sent = 0;
      proxy.up = (bytes) => {
        sent += bytes.length;
        return sent > 300_000 ? 'cut' : 'pass';
      };
      const delivery = many();
      expect(await failureOf(delivery, { port: proxy.port })).toEqual(failed(true, expect.any(String)));
      expect(delivery.streams.every(({ destroyed }) => destroyed)).toBe(true);
      expect(await numbers()).toEqual([]);
      await write(many());
      expect(await numbers()).toEqual(upTo(3000));
    });

    it.each([
      ['before', 'cut', 0],
      ['after', 'pass', 30],
    ] as const)('%s the server has committed leaves every record once', async (_, fate, there) => {
      let committing = false;
      proxy.up = (bytes) => {
        if (!bytes.includes('COMMIT\0')) return 'pass';
        committing = true;
        return fate;
      };
      proxy.down = () => (committing ? 'cut' : 'pass');
      const query = new TestDelivery([{ n: 1 }, { n: 1 }], { fields: [{ name: 'n', type: 'integer' }] });
      const events = new TestDelivery(eventsOf(30));
      await write(new TestDelivery([]));
      await write(query, { table_name: 'queried' });
      for (const [delivery, table_name] of [
        [events, 'events'],
        [query, 'queried'],
      ] as const) {
        committing = false;
        const config = { port: proxy.port, table_name };
        expect(await failureOf(delivery, config)).toEqual(failed(true, expect.any(String)));
        await until(async () => (await target.sessions()) === 0);
      }
      expect(await numbers()).toHaveLength(there);
      await write(events);
      await write(query, { table_name: 'queried' });
      expect(await numbers()).toEqual(upTo(30));
      expect(await target.rows('SELECT n::int FROM queried')).toEqual([{ n: 1 }, { n: 1 }]);
    });

    it('that takes no more data is given up', async () => {
      let sent = 0;
      proxy.up = (bytes) => {
        sent += bytes.length;
        return sent > 100_000 ? 'hold' : 'pass';
      };
      const endless = new TestDelivery(eventsOf(30_000));
      const by = new ImpatientWriter(settings());
      expect(await failureOf(endless, { port: proxy.port }, { by })).toEqual(
        failed(true, 'The server took no data for 0.3 s'),
      );
      // It sees the end of what it does not read once it is let go.
      proxy.cut();
      await until(async () => (await target.sessions()) === 0);
      expect(await numbers()).toEqual([]);
    });

    it.each([
      ['rows without end', row(Buffer.alloc(65_000)), row(Buffer.alloc(65_000))],
      ['a message of gigabytes', Buffer.from('N\x7f\xff\xff\xff', 'latin1'), Buffer.alloc(65_000)],
    ])('to a server that sends %s is given up for good', async (_, first, more) => {
      const evil = createServer((socket) => {
        function* answer() {
          yield first;
          for (;;) yield more;
        }
        let greeted = false;
        socket
          .on('error', () => {})
          .on('data', () => {
            if (greeted) return void pipeline(Readable.from(answer()), socket, () => {});
            greeted = true;
            // AuthenticationOk, ReadyForQuery.
            socket.write(Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1'));
          });
      }).listen(0, '127.0.0.1');
      await once(evil, 'listening');
      try {
        const { port } = evil.address() as AddressInfo;
        const by = new PostgresWriter(settings({ ALLOW_PRIVATE_DESTINATIONS: 'true' }));
        expect(await failureOf(many(), { port, ssl_mode: 'disable' }, { by })).toEqual(
          failed(false, 'The server sent more than 8 MB in one answer: nothing can be exported to it'),
        );
      } finally {
        evil.close();
      }
    });

    it('to a server that says nothing is given up', async () => {
      proxy.up = () => 'hold';
      const by = new ImpatientWriter(settings());
      expect(await failureOf(many(), { port: proxy.port }, { by })).toEqual(
        failed(true, expect.stringMatching(/timeout|terminated/)),
      );
    });

    it.each([
      ['about its tables, soon', 'information_schema', '0.3'],
      ['about the records, which it may take longer for', 'INSERT INTO', '0.6'],
    ])('to a server that says nothing more is given up: %s', async (_, statement, seconds) => {
      class SoonerWriter extends PostgresWriter {
        protected override readonly patience = { connect: 15_000, statement: 300, work: 600, stall: 60_000 };
      }
      let held = false;
      proxy.up = (bytes) => {
        held ||= bytes.includes(statement);
        return held ? 'hold' : 'pass';
      };
      const by = new SoonerWriter(settings());
      expect(await failureOf(new TestDelivery(eventsOf(3)), { port: proxy.port }, { by })).toEqual(
        failed(true, `The server did not answer within ${seconds} s`),
      );
      proxy.cut();
    });

    it('because the server is shut down, or the session ended, may be tried again', async () => {
      let sent = 0;
      proxy.up = (bytes) => {
        sent += bytes.length;
        if (sent > 100_000) {
          void target.rows(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'hedgerow' AND datname = current_database()",
          );
        }
        return sent > 100_000 ? 'hold' : 'pass';
      };
      expect(await failureOf(many(), { port: proxy.port })).toEqual(
        failed(true, 'terminating connection due to administrator command'),
      );
    });
  });

  describe('that is to end', () => {
    it('ends amid the records, and leaves neither session nor table', async () => {
      const stop = new AbortController();
      const reason = new Error('The run was cancelled');
      const records = (function* () {
        for (let number = 0; ; number += 1) {
          if (number === 5000) stop.abort(reason);
          yield eventOf(number);
        }
      })();
      const delivery = new TestDelivery(records);
      expect(await failureOf(delivery, {}, { signal: stop.signal })).toBe(reason);
      await until(async () => (await target.sessions()) === 0);
      expect(delivery.streams.every(({ destroyed }) => destroyed)).toBe(true);
      expect(await target.rows("SELECT FROM pg_class WHERE relname = 'hedgerow_staging'")).toEqual([]);
      expect(await numbers()).toEqual([]);
    });

    it('ends while it waits for its turn', async () => {
      await write(new TestDelivery([]));
      await target.during('LOCK TABLE events IN SHARE ROW EXCLUSIVE MODE', async () => {
        const stop = new AbortController();
        const writing = failureOf(new TestDelivery(eventsOf(3)), {}, { signal: stop.signal });
        const waiting = "SELECT FROM pg_locks WHERE NOT granted AND relation = 'events'::regclass";
        await until(async () => (await target.rows(waiting)).length > 0);
        stop.abort();
        expect(await writing).toBe(stop.signal.reason);
        await until(async () => (await target.sessions()) === 0);
      });
      expect(await numbers()).toEqual([]);
    });

    it('ends before the records are there', async () => {
      const stop = new AbortController();
      const delivery = new TestDelivery(eventsOf(1));
      const read = delivery.read.bind(delivery);
      let open = () => {};
      delivery.read = async (format) => {
        await new Promise<void>((resolve) => {
          open = resolve;
          stop.abort();
        });
        return read(format);
      };
      expect(await failureOf(delivery, {}, { signal: stop.signal })).toBe(stop.signal.reason);
      open();
      await until(() => delivery.streams[0]?.destroyed === true);
    });

    it('does not begin', async () => {
      const delivery = new TestDelivery(eventsOf(1));
      const signal = AbortSignal.abort(new Error('too late'));
      expect(await failureOf(delivery, {}, { signal })).toBe(signal.reason);
      expect(delivery.streams).toEqual([]);
    });

    it('writes nothing when the run is lost before the end', async () => {
      const lost = new Error('The run was taken over');
      await write(new TestDelivery(eventsOf(1)));
      expect(await failureOf(new TestDelivery(eventsOf(5)), {}, { progress: new TestProgress(lost) })).toBe(
        lost,
      );
      expect(await numbers()).toEqual([0]);
    });
  });

  it('passes on an error of the source as it is', async () => {
    const broken = new Error('connection to our own database lost');
    const records = (function* () {
      yield* eventsOf(1000);
      throw broken;
    })();
    expect(await failureOf(new TestDelivery(records, { chunk: 1000 }))).toBe(broken);
    expect(await numbers()).toEqual([]);
  });

  describe('says why it did not take the records', () => {
    const one = () => new TestDelivery(eventsOf(1));

    it('when it is not there', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      server.close();
      await once(server, 'close');
      expect(await failureOf(one(), { port })).toEqual(
        failed(true, `connect ECONNREFUSED 127.0.0.1:${port}`),
      );
      expect(await failureOf(one(), { host: 'nowhere.invalid' })).toEqual(
        failed(true, expect.stringContaining('nowhere.invalid')),
      );
    });

    it('in its own words, without the secrets', async () => {
      const user = 'a user that nobody has';
      expect(await failureOf(one(), { user, password: 'sw0rdfish' })).toEqual(
        failed(
          false,
          expect.stringMatching(/^(role "\*\*\*" does not exist|password authentication failed .*)$/),
        ),
      );
      expect(await failureOf(one(), { database: 'nothing' })).toEqual(
        failed(false, 'database "nothing" does not exist'),
      );
      expect(await failureOf(one(), { schema: 'nothing' })).toEqual(
        failed(false, 'schema "nothing" does not exist'),
      );
    });

    it('when it may not', async () => {
      const user = `poor_${process.pid}`;
      await write(one());
      await target.rows(`
        CREATE ROLE ${user} LOGIN PASSWORD 'poor'; GRANT USAGE ON SCHEMA public TO ${user};
        GRANT SELECT ON events TO ${user}`);
      try {
        expect(await failureOf(one(), { user, password: 'poor' })).toEqual(
          failed(false, 'permission denied for table events'),
        );
        expect(await failureOf(one(), { user, password: 'poor', table_name: 'other' })).toEqual(
          failed(false, 'permission denied for schema public'),
        );
        await target.rows(`GRANT INSERT ON events TO ${user}`);
        await write(new TestDelivery(eventsOf(2)), { user, password: 'poor' });
        expect(await numbers()).toEqual([0, 1]);
      } finally {
        await target.rows(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
      }
    });

    it('when the values do not fit', async () => {
      const behind = eventsOf(20_000);
      expect(await failureOf(new TestDelivery([eventOf(1, { uuid: 'none' }), ...behind]))).toEqual(
        failed(false, 'invalid input syntax for type uuid: "none"'),
      );
    });

    it.each(['127.0.0.1', 'localhost', '0.0.0.0', '10.0.0.1'])(
      'when private addresses are none: %s',
      async (host) => {
        const by = new PostgresWriter(settings({ ALLOW_PRIVATE_DESTINATIONS: 'false' }));
        const proxy = await TcpProxy.to(target.port);
        expect(await failureOf(one(), { host, port: proxy.port }, { by })).toEqual(
          failed(false, `${host} is not a public address`),
        );
        expect(proxy.connections).toBe(0);
        await proxy.stop();
      },
    );

    it('when it has no TLS and may be elsewhere, unless that is accepted', async () => {
      // Leads here, but is no address of a loopback network.
      const host = '0.0.0.0';
      expect(await failureOf(one(), { host })).toEqual(
        failed(
          false,
          'The server does not support SSL connections (with \'ssl_mode\' "disable" the export goes without)',
        ),
      );
      await write(one(), { host, ssl_mode: 'disable' });
      expect(await numbers()).toEqual([0]);
    });
  });
});
