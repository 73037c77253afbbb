import { v5 as uuidv5 } from 'uuid';
import { type Person, TestApi } from '../support/api';
import { statuses } from '../support/matchers';
import { meanwhile } from '../support/meanwhile';

interface PersonRow {
  readonly id: string;
  readonly properties: Record<string, unknown>;
  readonly version: number;
  readonly is_identified: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ids: string[];
  readonly versions: number[];
}

type Properties = Record<string, unknown>;

describe('Persons of captured events', () => {
  let api: TestApi;
  let owner: Person;
  let token: string;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  beforeEach(async () => {
    owner = await api.owner();
    token = (await owner.get(owner.projectPath(''))).body.api_token;
  });
  afterEach(() => api.clock.reset());
  afterAll(() => api?.stop());

  const send = (...events: object[]) => api.anyone().post('/batch/', { api_key: token, batch: events });
  const seen = (distinct_id: string, properties: Properties = {}, more: object = {}) => ({
    event: 'seen',
    distinct_id,
    properties,
    ...more,
  });
  const identify = (distinct_id: string, anonymous: string | null, properties: Properties = {}) => ({
    event: '$identify',
    distinct_id,
    properties: { ...(anonymous === null ? {} : { $anon_distinct_id: anonymous }), ...properties },
  });
  const alias = (distinct_id: string, other: string, event = '$create_alias') => ({
    event,
    distinct_id,
    properties: { alias: other },
  });

  /** Each with their distinct ids, in the order of these. */
  const persons = () =>
    api.rows<PersonRow>(
      `SELECT p.id, p.properties, p.version, p.is_identified, p.created_at, p.updated_at,
              array_agg(d.distinct_id ORDER BY d.distinct_id) AS ids,
              array_agg(d.version ORDER BY d.distinct_id) AS versions
         FROM persons p LEFT JOIN person_distinct_ids d ON d.project_id = p.project_id AND d.person_id = p.id
        WHERE p.project_id = $1
        GROUP BY p.project_id, p.id ORDER BY min(d.distinct_id)`,
      [owner.projectId],
    );
  const ids = async () => (await persons()).map((person) => person.ids);
  const personIds = async () =>
    (
      await api.rows<{ person_id: string }>(
        'SELECT person_id FROM events WHERE project_id = $1 ORDER BY created_at, uuid',
        [owner.projectId],
      )
    ).map(({ person_id }) => person_id);

  it('are one for each distinct id, under an id that follows from it', async () => {
    await send(seen('a'), seen('b'), seen('a'));
    await send(seen('a'));
    const [a, b] = await persons();
    expect([a, b]).toMatchObject([
      { ids: ['a'], properties: {}, version: 0, versions: [0], is_identified: false },
      { ids: ['b'], properties: {}, version: 0, versions: [0], is_identified: false },
    ]);
    expect(a?.id).toBe(uuidv5(`${owner.projectId}:a`, '018f2b6c-5d1e-7c43-9a0b-6e2f4d81c357'));
    expect(await personIds()).toEqual([a?.id, b?.id, a?.id, a?.id]);
  });

  it('are not made by events without a person, which name the one that would be', async () => {
    await send(seen('a', { $process_person_profile: false, $set: { lost: true } }));
    await send({
      ...identify('b', 'a'),
      properties: { $process_person_profile: false, $anon_distinct_id: 'a' },
    });
    expect(await persons()).toEqual([]);
    await send(seen('a', { $set: { plan: 'team' } }));
    await send(seen('a', { $process_person_profile: false, $set: { plan: 'lost' } }));
    const [person] = await persons();
    expect(person?.properties).toEqual({ plan: 'team' });
    expect((await personIds()).filter((id) => id === person?.id)).toHaveLength(3);
  });

  it('have the properties that events set, set once and unset', async () => {
    await send(
      seen('a', { $set: { plan: 'free', n: 1 }, $set_once: { source: 'ad', plan: 'lost' } }),
      seen('a', { $set_once: { source: 'lost', first: true }, $unset: ['n', 'none'] }),
      seen('a', {}, { $set: { beside: [1, { x: null }] }, $set_once: { source: 'lost' } }),
    );
    expect((await persons())[0]?.properties).toEqual({
      plan: 'free',
      source: 'ad',
      first: true,
      beside: [1, { x: null }],
    });
    await send(seen('a', { $set: { plan: 'team' }, $unset: { source: '', first: '' } }));
    await send(seen('a', { $set: 'text', $set_once: [1], $unset: 7 }, { $set: null }));
    expect((await persons())[0]?.properties).toEqual({ plan: 'team', beside: [1, { x: null }] });
    const stored = await api.rows(
      `SELECT set, set_once FROM events WHERE project_id = $1 AND set_once ->> 'source' = 'lost' ORDER BY uuid`,
      [owner.projectId],
    );
    expect(stored).toEqual([
      { set: null, set_once: { source: 'lost', first: true } },
      { set: { beside: [1, { x: null }] }, set_once: { source: 'lost' } },
    ]);
  });

  it('count their versions, and say when they last changed', async () => {
    await send(seen('a', { $set: { plan: 'free' } }));
    const [before] = await persons();
    api.clock.advance({ hours: 1 });
    await send(seen('a', { $set: { plan: 'free' } }), seen('a'), seen('a', { $set_once: { plan: 'x' } }));
    expect(await persons()).toEqual([before]);
    await send(seen('a', { $set: { plan: 'team' } }), seen('a', { $set: { n: 1 } }));
    const [after] = await persons();
    expect(after).toMatchObject({ version: 1, created_at: before?.created_at });
    expect(Number(after?.updated_at) - Number(before?.updated_at)).toBeGreaterThanOrEqual(3_600_000);
  });

  it('do not take back what an event that is sent again says', async () => {
    const event = seen('a', { $set: { plan: 'free' } }, { uuid: '0195b1f4-7c1c-4000-8000-0123456789ab' });
    await send(event);
    await send(seen('a', { $set: { plan: 'team' } }));
    await send(event, seen('a', { $set: { n: 1 } }));
    expect((await persons())[0]?.properties).toEqual({ plan: 'team', n: 1 });
  });

  it('hold no more than 128 KiB of properties', async () => {
    await send(seen('a', { $set: { plan: 'free' } }));
    const answer = await send(
      seen('a', { $set: { large: 'x'.repeat(128 * 1024) } }),
      seen('a', { $set: { n: 1 } }),
    );
    expect(answer.body).toMatchObject({ accepted: 2 });
    expect((await persons())[0]?.properties).toEqual({ plan: 'free', n: 1 });
  });

  it('of thousands of properties have each of thousands of changes', async () => {
    const before = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`p${index}`, 0]));
    await send(seen('a', { $set: before }));
    const changes = Array.from({ length: 2_000 }, (_, index) =>
      seen('a', {
        $set: { [`p${index}`]: index, last: index },
        $set_once: { first: index },
        $unset: [`p${8_999 - index}`],
      }),
    );
    expect(await send(...changes)).toMatchObject({ status: 200, body: { accepted: 2_000 } });
    const kept = Object.entries(before)
      .slice(0, 7_000)
      .map(([name], index) => [name, index < 2_000 ? index : 0]);
    const [person] = await persons();
    expect(person?.properties).toEqual({ ...Object.fromEntries(kept), last: 1_999, first: 0 });
  });

  describe('who identify themselves', () => {
    it('stay the person who they were anonymously', async () => {
      await send(seen('anonymous-1', { $set: { plan: 'free' } }));
      const [before] = await persons();
      await send(identify('user', 'anonymous-1', { $set: { plan: 'team' } }), seen('user'));
      expect(await persons()).toMatchObject([
        {
          id: before?.id,
          ids: ['anonymous-1', 'user'],
          properties: { plan: 'team' },
          version: 1,
          is_identified: true,
        },
      ]);
      expect(new Set(await personIds())).toEqual(new Set([before?.id]));
    });

    it('are one person with the one they are known as, whose properties are kept', async () => {
      await send(seen('user', { $set: { plan: 'team', a: 1 } }));
      const [user] = await persons();
      api.clock.advance({ minutes: 1 });
      await send(
        seen('anonymous-1', { $set: { plan: 'free', b: 2 } }),
        seen('anonymous-1', { $set: { c: 3 } }),
      );
      await send(identify('user', 'anonymous-1', { $set: { d: 4 } }));
      expect(await persons()).toMatchObject([
        {
          id: user?.id,
          ids: ['anonymous-1', 'user'],
          properties: { plan: 'team', a: 1, b: 2, d: 4 },
          version: 1,
          versions: [1, 0],
          is_identified: true,
          created_at: user?.created_at,
        },
      ]);
      await send(seen('anonymous-1'));
      expect((await personIds()).at(-1)).toBe(user?.id);
    });

    it('in one batch with what they did before, in the order of the events', async () => {
      await send(
        seen('anonymous-1', { $set: { a: 1 } }),
        identify('user', 'anonymous-1', { $set: { b: 2 } }),
        seen('anonymous-2', { $set: { a: 2, c: 3 } }),
        identify('user', 'anonymous-2'),
        identify('user', 'user'),
        seen('anonymous-2', { $set: { d: 4 } }),
      );
      expect(await persons()).toMatchObject([
        {
          ids: ['anonymous-1', 'anonymous-2', 'user'],
          properties: { a: 1, b: 2, c: 3, d: 4 },
          version: 0,
          versions: [0, 0, 0],
        },
      ]);
      expect(new Set(await personIds()).size).toBe(1);
    });

    it('are not taken for somebody else who used the same device', async () => {
      await send(identify('user-1', 'device', { $set: { name: 'One' } }));
      await send(identify('user-2', 'device', { $set: { name: 'Two' } }));
      await send(identify('user-2', 'user-1'), alias('user-2', 'user-1'));
      expect(await persons()).toMatchObject([
        { ids: ['device', 'user-1'], properties: { name: 'One' } },
        { ids: ['user-2'], properties: { name: 'Two' }, is_identified: true },
      ]);
    });

    it('twenty at once are one person', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          send(
            seen('anonymous-1', { $set: { [`n${index}`]: index } }),
            identify('user', 'anonymous-1', { $set: { name: 'User' } }),
            seen(index % 2 ? 'x' : 'y'),
            seen(index % 2 ? 'y' : 'x'),
          ),
        ),
      );
      expect(statuses(answers)).toEqual({ 200: 20 });
      expect(await ids()).toEqual([['anonymous-1', 'user'], ['x'], ['y']]);
      const [person] = await persons();
      expect(person?.properties).toEqual({
        name: 'User',
        ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`n${index}`, index])),
      });
      expect(person?.version).toBe(19);
    });
  });

  it('have an id that two batches bring at once, one as theirs and one as a new person', async () => {
    await send(seen('device'));
    const [device] = await persons();
    const answer = await meanwhile(
      api,
      'INSERT INTO person_distinct_ids (project_id, distinct_id, person_id, version) VALUES ($1, $2, $3, 0)',
      [owner.projectId, 'user', device?.id],
      () => send(seen('user', { $set: { n: 1 } })),
    );
    expect(answer.status).toBe(200);
    expect(await persons()).toMatchObject([
      { id: device?.id, ids: ['device', 'user'], properties: { n: 1 } },
    ]);
    expect(await personIds()).toEqual([device?.id, device?.id]);
  });

  it('who turn out to be one while they change, many at once, are one with every change', async () => {
    const people = Array.from({ length: 10 }, (_, index) => `person ${index}`);
    await send(...people.map((id) => seen(id)));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) =>
        send(
          seen(`person ${turn % 10}`, { $set: { [`turn ${turn}`]: true } }),
          alias(`person ${turn % 10}`, `person ${(turn + 1) % 10}`, '$merge_dangerously'),
          ...people.map((id) => seen(id)),
        ),
      ),
    );
    expect(statuses(answers)).toEqual({ 200: 20 });
    const found = await persons();
    expect(found.map((person) => person.ids)).toEqual([people]);
    expect(Object.keys(found[0]?.properties ?? {})).toHaveLength(20);
    await send(...people.map((id) => seen(id)));
    expect(new Set((await personIds()).slice(-10))).toEqual(new Set([found[0]?.id]));
  });

  it('who change at once lose no change, and nobody waits for ever', async () => {
    const people = Array.from({ length: 30 }, (_, index) => `person ${index}`);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => {
        const events = people.map((id) => seen(id, { $set: { [`turn ${turn}`]: true } }));
        return send(...(turn % 2 ? events : [...events].reverse()));
      }),
    );
    expect(statuses(answers)).toEqual({ 200: 20 });
    const found = await persons();
    expect(found).toHaveLength(30);
    for (const { properties } of found) expect(Object.keys(properties)).toHaveLength(20);
  });

  describe('who are known under an alias', () => {
    it('are one person, the one known by name if either is', async () => {
      await send(seen('a', { $set: { n: 'a' } }), seen('b', { $set: { n: 'b', m: 1 } }));
      const [a] = await persons();
      await send(alias('a', 'b'), alias('a', 'c'));
      expect(await persons()).toMatchObject([
        { id: a?.id, ids: ['a', 'b', 'c'], properties: { n: 'a', m: 1 }, is_identified: true },
      ]);
      await send(seen('new', { $set: { n: 'new', k: 2 } }), alias('new', 'b'));
      expect(await persons()).toMatchObject([
        { id: a?.id, ids: ['a', 'b', 'c', 'new'], properties: { n: 'a', m: 1, k: 2 } },
      ]);
    });

    it('are merged against all doubt when the event insists', async () => {
      await send(
        identify('user-1', 'device-1', { $set: { n: 1 } }),
        identify('user-2', 'device-2', { $set: { n: 2 } }),
      );
      await send(alias('user-2', 'user-1', '$merge_dangerously'));
      expect(await persons()).toMatchObject([
        { ids: ['device-1', 'device-2', 'user-1', 'user-2'], properties: { n: 2 }, versions: [1, 0, 1, 0] },
      ]);
      const lost = await api.rows(
        `SELECT * FROM person_distinct_ids d WHERE d.project_id = $1
           AND NOT EXISTS (SELECT FROM persons p WHERE p.project_id = d.project_id AND p.id = d.person_id)`,
        [owner.projectId],
      );
      expect(lost).toEqual([]);
    });

    it('do not become everybody who has no id', async () => {
      for (const nobody of [
        'undefined',
        'null',
        'NaN',
        'anonymous',
        '[object Object]',
        '0',
        '',
        'x'.repeat(201),
      ]) {
        await send(
          identify('user', nobody),
          alias('user', nobody, '$merge_dangerously'),
          identify(nobody || '-', 'user'),
        );
      }
      expect((await ids()).filter((all) => all.length > 1)).toEqual([]);
      await send(identify('user', '7'), { ...identify('user', null), properties: { $anon_distinct_id: 8 } });
      expect((await ids()).filter((all) => all.length > 1)).toEqual([['7', '8', 'user']]);
    });
  });

  it('are of one project', async () => {
    const other = await api.owner();
    const theirs = (await other.get(other.projectPath(''))).body.api_token;
    await send(identify('user', 'device', { $set: { mine: true } }));
    await api.anyone().post('/batch/', { api_key: theirs, batch: [seen('user'), seen('device')] });
    const [row] = await api.rows<{ count: number }>(
      'SELECT count(*)::int FROM persons WHERE project_id = $1',
      [other.projectId],
    );
    expect(row?.count).toBe(2);
    expect(await ids()).toEqual([['device', 'user']]);
  });
});
