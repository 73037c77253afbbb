import { v7 as uuidv7 } from 'uuid';
import { FUNCTION_NAMES } from '../../src/event/hogql/functions/index';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal } from '../support/matchers';

const QUERY = "select toString(uuid) as uuid, 'test' as test, toInt(1+1) as n from events";
const SCHEMA = {
  fields: [
    { expression: 'toString(events.uuid)', alias: 'uuid' },
    { expression: '%(hogql_val_0)s', alias: 'test' },
    { expression: 'accurateCastOrNull(plus(1, 1), %(hogql_val_1)s)', alias: 'n' },
  ],
  values: { hogql_val_0: 'test', hogql_val_1: 'Int64' },
  hogql_query: "SELECT toString(uuid) AS uuid, 'test' AS test, toInt(plus(1, 1)) AS n FROM events",
};
const REQUIRED = { name: 'Queried', destination: { type: 'NoOp', config: {} }, interval: 'day' };

describe('hogql_query', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });
  afterAll(() => api.stop());

  const list = () => owner.path('batch_exports/');
  const path = (id: string) => owner.path(`batch_exports/${id}/`);
  const create = (body: object) => owner.post(list(), { ...REQUIRED, ...body });
  const rowOf = async (id: string) =>
    (await api.rows('SELECT hogql_query, schema FROM batch_exports WHERE id = $1', [id]))[0];
  const refused = (detail: unknown) => refusal(400, 'invalid_input', detail as string, 'hogql_query');

  it('is answered as schema wherever the export is (BE-10, BE-24)', async () => {
    const created = await create({ hogql_query: QUERY });
    expect(created.status).toBe(201);
    expect(created.body.schema).toEqual(SCHEMA);
    expect(created.body).not.toHaveProperty('hogql_query');
    const { id } = created.body;
    expect((await owner.get(path(id))).body.schema).toEqual(SCHEMA);
    expect((await owner.get(list())).body.results[0].schema).toEqual(SCHEMA);
    expect((await owner.get(owner.projectPath(`batch_exports/${id}/`))).body.schema).toEqual(SCHEMA);
    expect(await rowOf(id)).toEqual({ hogql_query: QUERY, schema: SCHEMA });
  });

  it('is set by PATCH and PUT, stays where it is left out, and goes with null', async () => {
    const { id } = (await create({})).body;
    const patched = await owner.patch(path(id), { hogql_query: QUERY });
    expect([patched.status, patched.body.schema]).toEqual([200, SCHEMA]);
    expect((await owner.patch(path(id), { name: 'Renamed', schema: { fields: [] } })).body.schema).toEqual(
      SCHEMA,
    );
    expect((await owner.put(path(id), REQUIRED)).body.schema).toEqual(SCHEMA);
    const put = await owner.put(path(id), { ...REQUIRED, hogql_query: 'SELECT event FROM events' });
    expect([put.status, put.body.schema.hogql_query]).toEqual([200, 'SELECT event FROM events']);
    expect((await owner.patch(path(id), { hogql_query: null })).body.schema).toBeNull();
    expect(await rowOf(id)).toEqual({ hogql_query: null, schema: null });
  });

  it.each([
    ['SELECT', 'Failed to parse query'],
    ['SELECT event,, FROM events', 'Failed to parse query'],
    ['SELECT nope FROM events', 'Invalid HogQL query: Unable to resolve field: nope'],
    ['SELECT event FROM events JOIN persons ON true', 'JOINs are not supported'],
    ['SELECT event FROM events UNION ALL SELECT event FROM events', 'UNIONs are not supported'],
    ['SELECT event FROM persons', 'Query must only SELECT FROM events'],
    ['SELECT 1', 'Query must SELECT FROM events'],
    ['SELECT event FROM events LIMIT 1', 'Unsupported HogQL query: LIMIT is not supported'],
    [
      'SELECT toInt32(1) AS n FROM events',
      "Invalid HogQL query: Unsupported function call 'toInt32(...)'. Perhaps you meant 'toInt(...)'?",
    ],
  ])('is refused, and nothing changes: %s (BE-25)', async (hogql_query, detail) => {
    const { id } = (await create({ hogql_query: QUERY })).body;
    const count = (await owner.get(list())).body.count;
    const before = (await owner.get(path(id))).body;
    expect(await create({ hogql_query })).toEqual(refused(detail));
    expect(await owner.patch(path(id), { name: 'Changed', hogql_query })).toEqual(refused(detail));
    expect(await owner.put(path(id), { ...REQUIRED, hogql_query })).toEqual(refused(detail));
    expect((await owner.get(path(id))).body).toEqual(before);
    expect((await owner.get(list())).body.count).toBe(count);
  });

  it.each([
    ['', 'blank', 'This field may not be blank.'],
    [1, 'invalid_input', 'Not a valid string.'],
    ['x'.repeat(10_001), 'max_length', 'Ensure this field has no more than 10000 characters.'],
  ])('is a text', async (hogql_query, code, detail) => {
    expect(await create({ hogql_query })).toEqual(refusal(400, code, detail, 'hogql_query'));
  });

  it('is of events alone', async () => {
    const detail = "A query can only be given for the model 'events'.";
    expect(await create({ model: 'persons', hogql_query: QUERY })).toEqual(refused(detail));
    const persons = (await create({ model: 'persons' })).body.id;
    expect(await owner.patch(path(persons), { hogql_query: QUERY })).toEqual(refused(detail));
    const events = (await create({ hogql_query: QUERY })).body.id;
    expect(await owner.patch(path(events), { model: 'persons' })).toEqual(refused(detail));
    expect((await owner.get(path(events))).body.model).toBe('events');
    expect((await owner.patch(path(events), { model: 'persons', hogql_query: null })).body).toMatchObject({
      model: 'persons',
      schema: null,
    });
    expect((await owner.patch(path(persons), { model: null, hogql_query: QUERY })).body.schema).toEqual(
      SCHEMA,
    );
  });

  it('of another organization is not there', async () => {
    const stranger = await api.owner();
    const { id } = (await create({ hogql_query: QUERY })).body;
    expect(
      await stranger.patch(stranger.path(`batch_exports/${id}/`), {
        hogql_query: 'SELECT event FROM events',
      }),
    ).toEqual(NOT_FOUND());
    expect(await stranger.patch(path(id), { hogql_query: 'SELECT event FROM events' })).toEqual(NOT_FOUND());
    expect(await owner.patch(path(uuidv7()), { hogql_query: QUERY })).toEqual(NOT_FOUND());
    expect(await rowOf(id)).toEqual({ hogql_query: QUERY, schema: SCHEMA });
  });

  it('keeps nobody waiting while it is read', async () => {
    const deep = `SELECT ${'CASE WHEN true THEN '.repeat(200)}1${' ELSE 1 END'.repeat(200)} AS n FROM events`;
    let isRead = false;
    const answer = create({ hogql_query: deep }).finally(() => {
      isRead = true;
    });
    let others = 0;
    for (; !isRead && others < 50; others += 1) expect((await owner.get(list())).status).toBe(200);
    expect(others).toBeGreaterThan(5);
    expect(await answer).toEqual(
      refused('Invalid HogQL query: It is too complex. Write it shorter, or nest it less deeply'),
    );
    expect((await create({ hogql_query: QUERY })).status).toBe(201);
  });

  it('is documented with the functions that there are', async () => {
    const { schemas } = (await api.anyone().get('/api/schema/')).body.components;
    const { description } = schemas.CreateBatchExportRequest.properties.hogql_query;
    for (const name of FUNCTION_NAMES) expect(description.includes(`\`${name}(`)).toBe(!name.startsWith('_'));
  });
});
