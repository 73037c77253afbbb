import { once } from 'node:events';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { v7 as uuidv7 } from 'uuid';
import { Settings } from '../../src/config/settings';
import { ProjectBusy } from '../../src/event/domain/capture-errors';
import { EventStore, type RecordFormat, type Selection } from '../../src/event/index';
import { RecordReader } from '../../src/event/persistence/record-reader';
import { Invalid, NotFound } from '../../src/shared/domain/domain-error';
import { isDatabaseUnavailable } from '../../src/shared/persistence/database-errors';
import { type Person, TestApi } from '../support/api';
import { statuses } from '../support/matchers';
import { until } from '../support/server-process';

type Json = Record<string, unknown>;

const MONDAY = new Date('2025-01-06T00:00:00Z');
const hours = (count: number) => new Date(MONDAY.getTime() + count * 3_600_000);
const iso = (date: Date) =>
  date
    .toISOString()
    .replace('.000Z', 'Z')
    .replace(/\.(\d{3})Z$/, '.$1000Z');

const NASTY = [
  'plain',
  '',
  'quotes " \' ` and \\ and \\\\ and \\N and \\.',
  'tab \t line \n return \r bell \u0007 one \u0001 two \u0002 end',
  'ünïcödé \u{1F994} \u2028 \u2029 \ufffd \u200f עברית',
  '{"json": [1, "}"]}',
  '$1 %s :name; DROP TABLE events; --',
  'x'.repeat(5_000),
];

const TOO_MUCH = 'it makes a record of more than 48 MiB of an event';

describe('The event store', () => {
  let api: TestApi;
  let owner: Person;
  let store: EventStore;
  let project: number;

  beforeAll(async () => {
    api = await TestApi.start();
    store = api.app.get(EventStore);
  });
  beforeEach(async () => {
    owner = await api.owner();
    project = owner.projectId;
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api?.stop());

  const event = (name: string, properties: Json = {}, distinctId = 'user') => ({
    uuid: uuidv7(),
    event: name,
    distinctId,
    properties,
    timestamp: new Date('2024-12-31T23:59:59.250Z'),
  });
  const everything = (more: Partial<Selection> = {}): Selection => ({
    projectId: project,
    model: 'events',
    start: new Date(0),
    end: new Date('9999-01-01T00:00:00Z'),
    includeEvents: null,
    excludeEvents: null,
    query: null,
    after: null,
    ...more,
  });

  async function text(records: Readable): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of records) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  }
  const bytes = async (selection: Selection, format: RecordFormat) =>
    text(await store.read(selection, format));
  async function lines(more: Partial<Selection> = {}): Promise<Json[]> {
    const all = (await bytes(everything(more), 'json-lines')).split('\n');
    expect(all.pop()).toBe('');
    return all.map((line) => JSON.parse(line) as Json);
  }
  const names = async (more: Partial<Selection> = {}) => (await lines(more)).map((record) => record.event);
  const only = async (): Promise<Date> => {
    const rows = await api.rows<{ created_at: Date }>('SELECT created_at FROM events WHERE project_id = $1', [
      project,
    ]);
    expect(rows).toHaveLength(1);
    return rows[0]?.created_at ?? new Date(0);
  };

  async function asAnother<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
  const exportsOf = (database = api.databaseUrl) =>
    api.rows<{ pid: number; wait_event: string | null }>(
      `SELECT pid, wait_event FROM pg_stat_activity WHERE application_name = 'hedgerow export' AND datname = $1`,
      [new URL(database).pathname.slice(1)],
    );
  const somebodyWaits = async (type: string) =>
    (await api.rows('SELECT FROM pg_locks WHERE NOT granted AND locktype = $1', [type])).length > 0;

  describe('arrivals', () => {
    it('are now, and for what is brought in from elsewhere as they are told', async () => {
      const before = api.clock.now();
      expect(await store.append(project, [event('now')])).toBe(1);
      const at = await only();
      expect(at.getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(at.getTime()).toBeLessThanOrEqual(api.clock.now().getTime());
      expect(await store.append(project, [event('then')], hours(-1000))).toBe(1);
      expect(await store.earliest(project, 'events')).toEqual(hours(-1000));
      expect(await names()).toEqual(['then', 'now']);
    });

    it('are never in a time that is closed, whatever the clock of a process says', async () => {
      const ahead = new Date(api.clock.now().getTime() + 3_600_000);
      await store.close(project, ahead);
      await store.close(project, hours(-1000));
      await store.append(project, [event('late', { $set: { late: true } })]);
      expect(await only()).toEqual(ahead);
      expect(await store.earliest(project, 'persons')).toEqual(ahead);
      await store.append(project, [event('imported')], hours(-500));
      const closed = everything({ end: ahead });
      expect(await store.count(closed)).toBe(0);
      expect(await store.count(everything({ ...closed, model: 'persons' }))).toBe(0);
      api.clock.advance({ hours: 2 });
      await store.append(project, [event('after', { $set: { after: true } })]);
      expect(await store.count(everything({ start: ahead, end: new Date(ahead.getTime() + 1) }))).toBe(2);
      expect((await store.earliest(project, 'persons'))?.getTime()).toBeGreaterThan(ahead.getTime());

      api.clock.reset();
      const other = await api.owner();
      await store.append(other.projectId, [event('elsewhere')]);
      expect(await store.count(everything({ projectId: other.projectId, end: ahead }))).toBe(1);
    });

    it('that are under way when a time is closed are waited for', async () => {
      const end = new Date(api.clock.now().getTime() + 3_600_000);
      const same = event('under way');
      const order: string[] = [];
      await asAnother(async (client) => {
        // The append stands still behind another one of the same event, which comes to nothing.
        await client.query('BEGIN');
        await client.query(
          `INSERT INTO events (project_id, uuid, created_at, timestamp, person_id, event, distinct_id, properties)
           VALUES ($1, $2, now(), now(), $2, 'x', 'x', '{}')`,
          [project, same.uuid],
        );
        const append = store.append(project, [same]).then(() => order.push('append'));
        await until(() => somebodyWaits('transactionid'));
        const close = store.close(project, end).then(async () => {
          order.push('close');
          expect(await store.count(everything({ end }))).toBe(1);
        });
        await until(() => order.length > 0 || somebodyWaits('advisory'));
        // What comes later waits as well, and arrives later.
        const later = store.append(project, [event('later')]).then(() => order.push('later'));
        await client.query('ROLLBACK');
        await Promise.all([append, close, later]);
      });
      expect(order[0]).toBe('append');
      expect(await names({ end })).toEqual(['under way']);
      expect(await names({ start: end })).toEqual(['later']);
    });

    it('of many at once lose nothing over the closings in between', async () => {
      const found: unknown[] = [];
      let done = false;
      const send = async () => {
        for (let turn = 0; turn < 20; turn += 1) await store.append(project, [event('one'), event('two')]);
      };
      const read = async () => {
        let start = new Date(0);
        for (let last = false; !last; ) {
          last = done;
          const end = new Date(api.clock.now().getTime() + (last ? 1000 : -1));
          await store.close(project, end);
          found.push(...(await lines({ start, end })).map(({ uuid }) => uuid));
          start = end;
        }
      };
      const reading = read();
      await Promise.all([send(), send(), send(), send()]);
      done = true;
      await reading;
      expect(found).toHaveLength(160);
      expect(new Set(found).size).toBe(160);
    });

    it('are refused in a project that is not there', async () => {
      const [row] = await api.rows<{ id: number }>('SELECT max(id) + 1000 AS id FROM projects');
      const none = row?.id ?? 0;
      await expect(store.append(none, [event('lost')])).rejects.toThrow(NotFound);
      await expect(store.close(none, hours(0))).rejects.toThrow(NotFound);
      expect(await store.earliest(none, 'events')).toBeNull();
      expect(await store.count(everything({ projectId: none }))).toBe(0);
    });
  });

  describe('deletions', () => {
    const tables = ['events', 'persons', 'person_distinct_ids', 'closed_arrivals'];
    const orphans = async () => {
      const counts = tables.map((table) => `SELECT project_id FROM ${table}`).join(' UNION ALL ');
      return api.rows(
        `SELECT project_id FROM (${counts}) AS r WHERE project_id NOT IN (SELECT id FROM projects)`,
      );
    };

    it.each(['project', 'organization'])(
      'of a %s leave nothing of its events behind, whatever arrives',
      async (what) => {
        const path = what === 'project' ? owner.projectPath('') : owner.path('');
        const token = (await owner.get(owner.projectPath(''))).body.api_token;
        await store.close(project, hours(-1000));
        const send = (turn: number) =>
          api.anyone().post('/batch/', {
            api_key: token,
            batch: Array.from({ length: 20 }, (_, index) => ({
              event: 'seen',
              distinct_id: `${turn} ${index}`,
              properties: { $set: { turn } },
            })),
          });
        expect((await send(0)).status).toBe(200);
        const sending = Array.from({ length: 15 }, (_, turn) => send(turn));
        const [deleted, ...answers] = await Promise.all([owner.delete(path), ...sending]);
        expect(deleted.status).toBe(204);
        expect([200, 401]).toEqual(expect.arrayContaining(Object.keys(statuses(answers)).map(Number)));
        expect((await send(99)).status).toBe(401);
        expect(await orphans()).toEqual([]);
        expect(await store.earliest(project, 'events')).toBeNull();
      },
    );

    it('that take long have what arrives come again later, and keep no connection from others', async () => {
      const token = (await owner.get(owner.projectPath(''))).body.api_token;
      const [body, locked] = [
        { api_key: token, event: 'a', distinct_id: 'a' },
        'SELECT FROM projects WHERE id = $1',
      ];
      await asAnother(async (client) => {
        await client.query('BEGIN');
        await client.query(`${locked} FOR UPDATE`, [project]);
        const answers = await Promise.all(Array.from({ length: 30 }, () => api.anyone().post('/e/', body)));
        expect(statuses(answers)).toEqual({ 503: 30 });
        expect(answers[0]?.headers.get('retry-after')).toBe('1');
        await client.query('ROLLBACK');
        // What others only read or add to is no reason to wait.
        await client.query('BEGIN');
        await client.query(`${locked} FOR NO KEY UPDATE`, [project]);
        expect(await api.anyone().post('/e/', body)).toMatchObject({ status: 200 });
        await client.query('ROLLBACK');
        expect((await owner.get(owner.projectPath(''))).body.ingested_event).toBe(false);
        await api.anyone().post('/e/', body);
        expect((await owner.get(owner.projectPath(''))).body.ingested_event).toBe(true);
      });
    });

    it('in a project with people who change at once never meet another batch half-way', async () => {
      const change = (turn: number) =>
        store.append(
          project,
          Array.from({ length: 50 }, (_, index) => event('seen', { $set: { turn } }, `person ${index}`)),
        );
      await change(0);
      const changes = Array.from({ length: 8 }, (_, turn) =>
        change(turn + 1).catch((error: unknown) => error),
      );
      const [deleted, ...others] = await Promise.all([owner.delete(owner.projectPath('')), ...changes]);
      expect(deleted.status).toBe(204);
      for (const other of others)
        expect([50, expect.any(NotFound), expect.any(ProjectBusy)]).toContainEqual(other);
      expect(await orphans()).toEqual([]);
    });
  });

  describe('events', () => {
    async function nasty() {
      const events = NASTY.flatMap((value, index) => [
        event(`event ${index}`, { value, [value]: [value, index, null, true, 1.5e-7] }, `id ${value}`),
        event(
          value || 'empty',
          { $elements_chain: value, $set: { value }, $set_once: { [value]: 1 } },
          'user',
        ),
      ]);
      const large = event('large', { text: '"\\é\n'.repeat(300_000) });
      await store.append(project, events, hours(1));
      await store.append(project, [large], hours(2));
      return [...events, large];
    }

    it('have the documented fields', async () => {
      const fields = await store.fieldsOf({ model: 'events', query: null });
      expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
        ...['uuid uuid', 'event text', 'properties json', 'distinct_id text', 'team_id integer'],
        ...['timestamp timestamp', 'created_at timestamp', 'person_id uuid', 'elements_chain text'],
        ...['set json', 'set_once json'],
      ]);
    });

    it('are read as JSON lines, each as it came', async () => {
      const events = await nasty();
      const records = await lines();
      expect(records).toEqual(
        events
          .map((given, index) => ({
            uuid: given.uuid,
            event: given.event,
            properties: given.properties,
            distinct_id: given.distinctId,
            team_id: project,
            timestamp: '2024-12-31T23:59:59.250000Z',
            created_at: iso(hours(index === events.length - 1 ? 2 : 1)),
            person_id: expect.stringMatching(/^[\da-f-]{36}$/),
            elements_chain: given.properties.$elements_chain ?? null,
            set: given.properties.$set ?? null,
            set_once: given.properties.$set_once ?? null,
          }))
          .sort((a, b) => (a.created_at + a.uuid < b.created_at + b.uuid ? -1 : 1)),
      );
      const fields = await store.fieldsOf({ model: 'events', query: null });
      expect(Object.keys(records[0] ?? {})).toEqual(fields.map(({ name }) => name));
      expect(await store.count(everything())).toBe(events.length);
    });

    it("are read as PostgreSQL's COPY takes them", async () => {
      await nasty();
      await asAnother(async (client) => {
        await client.query(`
          CREATE TEMP TABLE back (uuid uuid, event text, properties json, distinct_id text, team_id integer,
            timestamp timestamptz, created_at timestamptz, person_id uuid, elements_chain text, set json, set_once json)`);
        await pipeline(
          await store.read(everything(), 'copy-text'),
          client.query(copyFrom('COPY back FROM STDIN')) as NodeJS.WritableStream,
        );
        const rows = (table: string) => `
          SELECT uuid, event, properties::text, distinct_id, timestamp, created_at, person_id, elements_chain,
                 set::text, set_once::text FROM ${table}`;
        const { rows: differing } = await client.query(
          `(${rows('events')} WHERE project_id = $1 EXCEPT ${rows('back')})
           UNION ALL (${rows('back')} EXCEPT ${rows('events')} WHERE project_id = $1)`,
          [project],
        );
        expect(differing).toEqual([]);
        const { rows: counted } = await client.query('SELECT DISTINCT team_id, count(*) OVER () FROM back');
        expect(counted).toEqual([{ team_id: project, count: String(2 * NASTY.length + 1) }]);
      });
    });

    it('are those of the interval, its start included and its end excluded, in order of arrival', async () => {
      for (const hour of [3, 1, 2, 0]) await store.append(project, [event(`at ${hour}`)], hours(hour));
      expect(await names()).toEqual(['at 0', 'at 1', 'at 2', 'at 3']);
      const interval = { start: hours(1), end: hours(3) };
      expect(await names(interval)).toEqual(['at 1', 'at 2']);
      expect(await store.count(everything(interval))).toBe(2);
      const other = await api.owner();
      expect(await names({ projectId: other.projectId })).toEqual([]);
      expect(await bytes(everything({ projectId: other.projectId }), 'copy-text')).toBe('');
    });

    it('are those that are included and not excluded', async () => {
      await store.append(
        project,
        NASTY.map((name) => event(name || 'empty')),
      );
      for (const name of NASTY.filter(Boolean)) {
        expect(await names({ includeEvents: [name] })).toEqual([name]);
        expect(await store.count(everything({ excludeEvents: [name] }))).toBe(NASTY.length - 1);
      }
      expect(await names({ includeEvents: ['plain', 'empty', 'none'], excludeEvents: ['empty'] })).toEqual([
        'plain',
      ]);
      expect(await names({ includeEvents: [] })).toEqual([]);
      expect(await store.count(everything({ excludeEvents: [] }))).toBe(NASTY.length);
    });

    it('are read on behind any of them', async () => {
      await store.append(project, [event('a'), event('b'), event('c')], hours(1));
      await store.append(project, [event('d'), event('e')], hours(2));
      const all = await lines();
      for (const [index, { created_at, uuid }] of all.entries()) {
        const after = `${created_at}/${uuid}`;
        expect(await lines({ after })).toEqual(all.slice(index + 1));
        expect(await store.count(everything({ after }))).toBe(all.length - index - 1);
      }
    });

    it('are one record each for one reading, whatever arrives meanwhile', async () => {
      await store.append(project, [event('before')], hours(1));
      const records = await store.read(everything(), 'json-lines');
      await store.append(project, [event('meanwhile')], hours(2));
      expect((await text(records)).trim().split('\n')).toHaveLength(1);
    });
  });

  describe('a query', () => {
    const query =
      'SELECT event AS `the "name"`, properties.value AS value, created_at, team_id, properties FROM events';

    it('says what the records are', async () => {
      expect(await store.fieldsOf({ model: 'events', query })).toEqual([
        { name: 'the "name"', type: 'text' },
        { name: 'value', type: 'text' },
        { name: 'created_at', type: 'timestamp' },
        { name: 'team_id', type: 'integer' },
        { name: 'properties', type: 'json' },
      ]);
      await store.append(project, [event('b', { value: 'x' }), event("it's", { value: 7 })], hours(2));
      await store.append(project, [event('a', { other: '"\\é' })], hours(1));
      const record = (name: string, value: string | null, hour: number, properties: Json) => ({
        'the "name"': name,
        value,
        created_at: iso(hours(hour)),
        team_id: project,
        properties,
      });
      const all = [
        record('a', null, 1, { other: '"\\é' }),
        record('b', 'x', 2, { value: 'x' }),
        record("it's", '7', 2, { value: 7 }),
      ];
      expect(await lines({ query })).toEqual(all);
      expect(Object.keys((await lines({ query }))[0] ?? {})).toEqual(Object.keys(all[0] ?? {}));
      expect(
        (await bytes(everything({ query, end: hours(2) }), 'copy-text')).split('\t').slice(0, 4),
      ).toEqual(['a', '\\N', '2025-01-06 01:00:00+00', String(project)]);
    });

    it('says which, of those that are selected', async () => {
      await store.append(
        project,
        [event('b', { value: 'x' }), event("it's", { value: 7 }), event('a')],
        hours(1),
      );
      const other = await api.owner();
      await store.append(other.projectId, [event('b')], hours(1));
      for (const [where, found, more] of [
        ["event = 'b'", ['b'], {}],
        ["event = 'it\\'s' OR properties.value = 'x'", ['b', "it's"], {}],
        ["event = 'it\\'s' OR properties.value = 'x'", ["it's"], { excludeEvents: ['b'] }],
        ["event = 'b' OR true", ['a', 'b'], { includeEvents: ['a', 'b'] }],
        ["event = 'none'", [], {}],
      ] as const) {
        const selection = { query: `SELECT event FROM events WHERE ${where}`, ...more };
        expect((await names(selection)).sort()).toEqual(found);
        expect(await store.count(everything(selection))).toBe(found.length);
      }
    });

    it('chooses by what it computes, also of what it computed', async () => {
      await store.append(project, [event('a', { n: 'x' }), event('b', { n: 'xx' }), event('c')], hours(1));
      const computed =
        'SELECT event, properties.n AS n, concat(n, n) AS twice, concat(twice, twice) AS four, event AS e1, ' +
        "event AS e2, event AS e3, length(four) AS size, uuid FROM events WHERE size > 4 OR twice = ''";
      const records = await lines({ query: computed });
      expect(records.map(({ event, four, size }) => [event, four, size])).toEqual([
        ['b', 'xxxxxxxx', 8],
        ['c', '', 0],
      ]);
      expect(await store.count(everything({ query: computed }))).toBe(2);
    });

    it('has an end where it makes too much of an event, before the database holds all of it', async () => {
      await store.append(project, [event('big', { text: 'x'.repeat(3_000_000) })], hours(1));
      await store.append(project, [event('small', { text: 'x' })], hours(1));
      const wide = Array.from({ length: 200 }, (_, n) => `concat(properties.text, '${n}') AS c${n}`);
      const doubled = Array.from({ length: 30 }, (_, n) => `concat(n${n}, n${n}) AS n${n + 1}`);
      for (const [columns, tooMuch] of [
        [wide, true],
        [wide.slice(0, 16), false],
        [Array.from({ length: 200 }, (_, n) => `properties AS p${n}`), true],
        [['event AS n0', ...doubled], false],
        [['properties.text AS n0', ...doubled], false],
      ] as const) {
        const selection = everything({ query: `SELECT ${columns} FROM events` });
        expect(await store.count(selection)).toBe(2);
        const reading = bytes(selection, 'json-lines').then((all) => all.split('\n').length);
        if (tooMuch) await expect(reading).rejects.toMatchObject({ code: '22000', message: TOO_MUCH });
        else expect(await reading).toBe(3);
      }
      const small = { query: `SELECT ${wide} FROM events WHERE length(properties.text) < 9` };
      expect(await lines(small)).toHaveLength(1);
    });

    it('that is none is refused', async () => {
      const selection = everything({ query: 'SELECT secret FROM users' });
      await expect(store.read(selection, 'json-lines')).rejects.toThrow(Invalid);
      await expect(store.count(selection)).rejects.toThrow(Invalid);
      await expect(store.fieldsOf(selection)).rejects.toThrow(Invalid);
    });
  });

  describe('persons', () => {
    const persons = (more: Partial<Selection> = {}) => lines({ model: 'persons', ...more });

    it('are a record for each distinct id, in the interval of their latest change', async () => {
      await store.append(
        project,
        [event('seen', { $set: { n: '"\\\u{1F994}' } }, 'a'), event('seen', {}, 'b')],
        hours(1),
      );
      await store.append(
        project,
        [event('$identify', { $anon_distinct_id: 'a', $set: { m: 1 } }, 'c')],
        hours(2),
      );
      const fields = await store.fieldsOf({ model: 'persons', query: null });
      expect(fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
        ...[
          'team_id integer',
          'distinct_id text',
          'person_id uuid',
          'properties json',
          'person_version integer',
        ],
        ...['person_distinct_id_version integer', 'created_at timestamp', 'updated_at timestamp'],
      ]);
      const all = await persons();
      expect(Object.keys(all[0] ?? {})).toEqual(fields.map(({ name }) => name));
      const changed = {
        team_id: project,
        person_id: expect.any(String),
        properties: { n: '"\\\u{1F994}', m: 1 },
        person_version: 1,
        person_distinct_id_version: 0,
        created_at: iso(hours(1)),
        updated_at: iso(hours(2)),
      };
      expect(all).toEqual([
        { ...changed, distinct_id: 'b', properties: {}, person_version: 0, updated_at: iso(hours(1)) },
        { ...changed, distinct_id: 'a' },
        { ...changed, distinct_id: 'c' },
      ]);
      expect(await store.earliest(project, 'persons')).toEqual(hours(1));
      expect(await persons({ end: hours(2), includeEvents: ['none'] })).toEqual(all.slice(0, 1));
      expect(await store.count(everything({ model: 'persons', start: hours(2) }))).toBe(2);
      const [, { updated_at, person_id, distinct_id } = {}] = all;
      expect(await persons({ after: `${updated_at}/${person_id}/${distinct_id}` })).toEqual(all.slice(2));
      expect((await bytes(everything({ model: 'persons' }), 'copy-text')).split('\n')).toHaveLength(4);
    });
  });

  describe('a read', () => {
    beforeEach(async () => {
      const events = Array.from({ length: 4_000 }, (_, index) =>
        event(`event ${index}`, { text: 'x'.repeat(5_000) }),
      );
      await store.append(project, events, hours(1));
    });

    it('stands still while nobody reads', async () => {
      const records = await store.read(everything(), 'json-lines');
      await once(records, 'readable');
      await until(async () => (await exportsOf()).some(({ wait_event }) => wait_event === 'ClientWrite'));
      expect(records.readableLength).toBeLessThan(1024 * 1024);
      expect((await text(records)).split('\n')).toHaveLength(4_001);
      await until(async () => (await exportsOf()).length === 0);
    });

    it('ends at the database when it is given up', async () => {
      const records = await store.read(everything(), 'json-lines');
      for await (const _ of records) break;
      expect(records.destroyed).toBe(true);
      await until(async () => (await exportsOf()).length === 0);
    });

    it('ends at the database when it is given up while the database is busy', async () => {
      await asAnother(async (client) => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE events');
        const records = await store.read(everything(), 'copy-text');
        await until(() => somebodyWaits('relation'));
        records.destroy();
        await until(async () => (await exportsOf()).length === 0);
        await client.query('ROLLBACK');
      });
    });

    it('ends a count at the database when it is aborted', async () => {
      const over = new Error('over');
      await expect(store.count(everything(), AbortSignal.abort(over))).rejects.toBe(over);
      await asAnother(async (client) => {
        await client.query('BEGIN');
        await client.query('LOCK TABLE events');
        const abort = new AbortController();
        const counted = expect(store.count(everything(), abort.signal)).rejects.toBe(over);
        await until(() => somebodyWaits('relation'));
        abort.abort(over);
        await counted;
        await until(async () => (await exportsOf()).length === 0);
        await client.query('ROLLBACK');
      });
    });

    it.each(['by the database', 'on the way'])('fails when its connection is cut %s', async (where) => {
      const sockets: Socket[] = [];
      const { hostname, port } = new URL(api.databaseUrl);
      const proxy = createServer((near) => {
        const far = dial(Number(port), hostname);
        sockets.push(near, far);
        for (const socket of [near, far]) socket.on('error', () => undefined);
        near.pipe(far);
        far.pipe(near);
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      try {
        const url = new URL(api.databaseUrl);
        url.hostname = '127.0.0.1';
        url.port = String((proxy.address() as AddressInfo).port);
        const reader = new RecordReader(api.app.get(Settings).withDatabase(url.toString()));
        const records = await reader.read(everything(), 'json-lines');
        const failure = await (async () => {
          for await (const _ of records) {
            if (where === 'on the way') for (const socket of sockets) socket.destroy();
            else
              for (const { pid } of await exportsOf())
                await api.rows('SELECT pg_terminate_backend($1)', [pid]);
          }
        })().catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(Error);
        expect(isDatabaseUnavailable(failure)).toBe(true);
        await until(async () => (await exportsOf()).length === 0);
      } finally {
        proxy.close();
      }
    });

    it('fails at once when the database cannot be reached', async () => {
      const reader = new RecordReader(api.app.get(Settings).withDatabase('postgres://127.0.0.1:1/none'));
      // One of Node's own errors, which Jest keeps apart from the errors of its own world.
      await expect(reader.read(everything(), 'json-lines')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });
  });
});
