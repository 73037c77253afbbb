import { v7 as uuidv7 } from 'uuid';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const S3 = { type: 'S3', config: { bucket_name: 'acme-events', region: 'eu-central-1', prefix: 'daily/' } };
const NOOP = { type: 'NoOp', config: {} };
const REQUIRED = { name: 'Nightly', destination: NOOP, interval: 'day' };

const FIELDS = {
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  team_id: expect.any(Number),
  name: 'Nightly',
  model: 'events',
  destination: S3,
  interval: 'hour',
  paused: false,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
  last_updated_at: expect.any(String),
  last_paused_at: null,
  start_at: null,
  end_at: null,
  latest_runs: [],
  schema: null,
};

describe('Batch exports', () => {
  let api: TestApi;
  let owner: Person;
  let stranger: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    stranger = await api.owner();
    await api.eventAt(owner.projectId, '2025-01-01T00:00:00Z');
  });
  afterAll(() => api.stop());

  const create = async (caller: Person, body: object = {}, base = caller.path('batch_exports/')) => {
    const created = await caller.post(base, { ...REQUIRED, ...body });
    expect(created.status).toBe(201);
    return created.body;
  };
  const path = (caller: Person, id: string, operation = '') =>
    caller.path(`batch_exports/${id}/${operation}`);
  const rowsOf = (id: string) => api.rows('SELECT * FROM batch_exports WHERE id = $1', [id]);

  /** Another project of a person's organization. */
  const addProject = async (of: Person): Promise<number> => {
    const [row] = await api.rows<{ id: number }>(
      `INSERT INTO projects (uuid, organization_id, api_token, name, timezone, created_at, updated_at)
       VALUES ($1, $2, $3, 'Second', 'UTC', now(), now()) RETURNING id`,
      [uuidv7(), of.organizationId, uuidv7()],
    );
    return row?.id ?? 0;
  };

  it('has the fields and types of 2.3, from the body of the sample', async () => {
    const created = await owner.post(owner.path('batch_exports/'), {
      name: 'Nightly',
      destination: S3,
      interval: 'hour',
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ ...FIELDS, team_id: owner.projectId });
    expect(Object.keys(created.body)).toEqual(Object.keys(FIELDS));
    expect((await owner.get(path(owner, created.body.id))).body).toEqual(created.body);
  });

  it('keeps every writable field, and ignores the others', async () => {
    const times = {
      last_paused_at: '2025-01-01T00:00:00Z',
      start_at: '2025-01-02 00:00:00',
      end_at: '2025-01-03T01:00:00.250+01:00',
    };
    const made = await create(owner, {
      ...times,
      model: 'persons',
      interval: 'every 5 minutes',
      paused: true,
      id: uuidv7(),
      team_id: stranger.projectId,
      schema: {},
      latest_runs: [1],
      filters: [],
    });
    expect(made).toEqual({
      ...FIELDS,
      team_id: owner.projectId,
      model: 'persons',
      destination: NOOP,
      interval: 'every 5 minutes',
      paused: true,
      last_paused_at: '2025-01-01T00:00:00Z',
      start_at: '2025-01-02T00:00:00Z',
      end_at: '2025-01-03T00:00:00.250000Z',
    });
    expect(await rowsOf(made.id)).toMatchObject([{ hogql_query: null, schema: null }]);
    expect(await create(owner, { model: null, start_at: '0001-01-01T00:00:00Z' })).toMatchObject({
      model: 'events',
      start_at: '0001-01-01T00:00:00Z',
    });
  });

  it.each([
    ['name', undefined, 'required', 'This field is required.'],
    ['name', '  ', 'blank', 'This field may not be blank.'],
    ['name', 'x'.repeat(10_001), 'max_length', 'Ensure this field has no more than 10000 characters.'],
    ['model', 'sessions', 'invalid_choice', '"sessions" is not a valid choice.'],
    ['destination', undefined, 'required', 'This field is required.'],
    ['destination', null, 'null', 'This field may not be null.'],
    ['interval', undefined, 'required', 'This field is required.'],
    ['interval', 'month', 'invalid_choice', '"month" is not a valid choice.'],
    ['paused', 'no', 'invalid_input', 'Must be a valid boolean.'],
    ['end_at', '9999-12-31T23:59:59-01:00', 'invalid_input', expect.stringContaining('wrong format')],
    ['hogql_query', 'x'.repeat(10_001), 'max_length', 'Ensure this field has no more than 10000 characters.'],
  ])('refuses a wrong %s', async (field, value, code, detail) => {
    const before = (await owner.get(owner.path('batch_exports/'))).body.count;
    const answer = await owner.post(owner.path('batch_exports/'), { ...REQUIRED, [field]: value });
    expect(answer).toEqual(refusal(400, code, detail, field));
    expect((await owner.get(owner.path('batch_exports/'))).body.count).toBe(before);
  });

  it('tells the first field that is wrong, in the same order for all three writes (D8)', async () => {
    const { id } = await create(owner);
    const body = { interval: 1, destination: { config: 1, type: 1 }, model: 1, name: 1 };
    for (const [name, ...rest] of [
      ['name', 'model', 'destination', 'interval'],
      ['model', 'destination', 'interval'],
      ['destination__type', 'interval'],
      ['interval'],
    ]) {
      const wrong = Object.fromEntries(
        Object.entries(body).filter(([key]) => [name?.split('__')[0], ...rest].includes(key)),
      );
      const whole = { ...REQUIRED, ...wrong };
      const answers = [
        await owner.post(owner.path('batch_exports/'), whole),
        await owner.put(path(owner, id), whole),
        await owner.patch(path(owner, id), wrong),
      ];
      expect(answers.map((answer) => answer.body.attr)).toEqual([name, name, name]);
    }
  });

  it('refuses an end before the start, also when one of them is changed', async () => {
    const refused = refusal(400, 'invalid_input', "'end_at' must not be before 'start_at'.", 'end_at');
    const times = { start_at: '2025-01-02T00:00:00Z', end_at: '2025-01-01T00:00:00Z' };
    expect(await owner.post(owner.path('batch_exports/'), { ...REQUIRED, ...times })).toEqual(refused);
    const { id } = await create(owner, { start_at: '2025-01-02T00:00:00Z' });
    expect(await owner.patch(path(owner, id), { end_at: times.end_at })).toEqual(refused);
    expect((await owner.get(path(owner, id))).body.end_at).toBeNull();
  });

  it('changes what a PATCH gives, and needs the required fields in a PUT', async () => {
    const made = await create(owner, { start_at: '2025-01-01T00:00:00Z' });
    api.clock.advance({ seconds: 1 });
    const patched = await owner.patch(path(owner, made.id), { name: 'Other', start_at: null, paused: true });
    expect(patched.body).toEqual({
      ...made,
      name: 'Other',
      start_at: null,
      paused: true,
      last_updated_at: expect.any(String),
    });
    expect(patched.body.last_updated_at > made.last_updated_at).toBe(true);
    for (const field of ['name', 'destination', 'interval']) {
      const { [field]: _, ...body } = REQUIRED as Record<string, unknown>;
      const answer = await owner.put(path(owner, made.id), body);
      expect(answer).toEqual(refusal(400, 'required', 'This field is required.', field));
    }
    const put = await owner.put(path(owner, made.id), { ...REQUIRED, interval: 'week' });
    expect(put.body).toMatchObject({ name: 'Nightly', interval: 'week', paused: true });
    // A client may send back what it got.
    expect((await owner.patch(path(owner, made.id), put.body)).body).toMatchObject({ name: 'Nightly' });
  });

  it('lists newest first, in pages that show each export once, without the deleted ones', async () => {
    const person = await api.owner();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await create(person)).id);
    await person.delete(path(person, ids[2] ?? ''));
    const seen: string[] = [];
    let url: string | null = `${api.url}${person.path('batch_exports/')}?limit=2`;
    while (url) {
      const page = await person.get(url.slice(api.url.length));
      expect(page.body.count).toBe(4);
      seen.push(...page.body.results.map(({ id }: { id: string }) => id));
      url = page.body.next;
    }
    expect(seen).toEqual(ids.filter((_, index) => index !== 2));
  });

  it('belongs to the current project, else to the oldest; a project shows its own alone (D16)', async () => {
    const person = await api.owner();
    const second = await addProject(person);
    const member = await api.member(person);
    await api.rows('UPDATE users SET current_project_id = $1 WHERE id = $2', [second, member.user.id]);
    const visitor = await api.member(person);
    await api.rows('UPDATE users SET current_project_id = $1 WHERE id = $2', [
      stranger.projectId,
      visitor.user.id,
    ]);
    const inFirst = await create(person);
    const inSecond = await create(member);
    const ofVisitor = await create(visitor);
    const base = `/api/projects/${second}/batch_exports/`;
    const throughProject = await create(visitor, {}, base);
    expect([inFirst, inSecond, ofVisitor, throughProject].map(({ team_id }) => team_id)).toEqual([
      person.projectId,
      second,
      person.projectId,
      second,
    ]);
    const idsAt = async (url: string) =>
      (await person.get(url)).body.results.map(({ id }: { id: string }) => id);
    expect(await idsAt(person.path('batch_exports/'))).toEqual(
      [throughProject, ofVisitor, inSecond, inFirst].map(({ id }) => id),
    );
    expect(await idsAt(base)).toEqual([throughProject.id, inSecond.id]);
    expect(await idsAt(person.projectPath('batch_exports/'))).toEqual([ofVisitor.id, inFirst.id]);
    expect(await person.get(`${base}${inFirst.id}/`)).toEqual(NOT_FOUND());
    expect((await person.get(`${base}${inSecond.id}/`)).body).toEqual(inSecond);
  });

  it('cannot be created in an organization without projects', async () => {
    const person = await api.owner();
    await api.rows('DELETE FROM projects WHERE organization_id = $1', [person.organizationId]);
    const detail = 'The organization has no project whose data could be exported.';
    expect(await person.post(person.path('batch_exports/'), REQUIRED)).toEqual(
      refusal(400, 'invalid_input', detail),
    );
  });

  it("is out of reach of other organizations and projects, by every operation's path", async () => {
    const { id } = await create(owner);
    const [before] = await rowsOf(id);
    const second = await addProject(owner);
    const range = { start_at: '2025-01-01T00:00:00Z', end_at: '2025-01-02T00:00:00Z' };
    const bases: [Person, string][] = [
      [stranger, stranger.path('batch_exports/')],
      [stranger, stranger.projectPath('batch_exports/')],
      [stranger, owner.path('batch_exports/')],
      [stranger, owner.projectPath('batch_exports/')],
      [owner, `/api/projects/${second}/batch_exports/`],
    ];
    for (const [caller, base] of bases) {
      const answers = [
        await caller.get(`${base}${id}/`),
        await caller.patch(`${base}${id}/`, { name: 'Taken' }),
        await caller.put(`${base}${id}/`, REQUIRED),
        await caller.delete(`${base}${id}/`),
        await caller.preferring.post(`${base}${id}/backfill/`, range),
        await caller.preferring.get(`${base}${id}/logs/`),
        await caller.preferring.post(`${base}${id}/pause/`),
        await caller.preferring.post(`${base}${id}/unpause/`),
      ];
      expect(answers).toEqual(answers.map(() => NOT_FOUND()));
    }
    expect(await stranger.post(owner.path('batch_exports/'), REQUIRED)).toEqual(NOT_FOUND());
    expect(await stranger.post(owner.projectPath('batch_exports/'), REQUIRED)).toEqual(NOT_FOUND());
    expect(await rowsOf(id)).toEqual([before]);
    expect(await owner.get(path(owner, 'not-an-id'))).toEqual(NOT_FOUND());
    expect(await owner.get(path(owner, uuidv7()))).toEqual(NOT_FOUND());
  });

  it('needs the scope: reading, logs included, read; the rest write. Any member may (BE-39)', async () => {
    const { id } = await create(owner);
    const member = await api.member(owner);
    const reader = await api.as(member, { scopes: ['batch_export:read'] });
    expect((await reader.get(owner.path('batch_exports/'))).status).toBe(200);
    expect((await reader.get(path(owner, id, 'logs/'))).status).toBe(200);
    const missing = "API key missing required scope 'batch_export:write'";
    for (const operation of ['backfill/', 'pause/', 'unpause/']) {
      expect(await reader.post(path(owner, id, operation))).toEqual(
        refusal(403, 'permission_denied', missing),
      );
    }
    const writer = await api.as(member, { scopes: ['batch_export:write'] });
    expect((await writer.post(path(owner, id, 'pause/'))).status).toBe(200);
    expect((await writer.delete(path(owner, id))).status).toBe(204);
  });

  describe('pausing (the states of section 3)', () => {
    it('pauses and unpauses with 200 and no body; again changes nothing (BE-29)', async () => {
      const { id, created_at } = await create(owner);
      const body = { name: 'ignored', paused: false };
      const state = async () => (await owner.get(path(owner, id))).body;
      api.clock.advance({ minutes: 1 });
      const answer = await owner.post(path(owner, id, 'pause/'), body);
      expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '0']);
      const paused = await state();
      expect(paused).toMatchObject({ name: 'Nightly', paused: true, last_paused_at: paused.last_updated_at });
      expect(paused.last_updated_at > created_at).toBe(true);
      api.clock.advance({ minutes: 1 });
      expect((await owner.post(path(owner, id, 'pause/'))).status).toBe(200);
      expect(await state()).toEqual(paused);
      expect((await owner.post(path(owner, id, 'unpause/'))).text).toBe('');
      const unpaused = await state();
      expect(unpaused).toEqual({ ...paused, paused: false, last_updated_at: expect.any(String) });
      expect(unpaused.last_updated_at > paused.last_updated_at).toBe(true);
      api.clock.advance({ minutes: 1 });
      expect((await owner.post(path(owner, id, 'unpause/'), { backfill: true })).status).toBe(200);
      expect(await state()).toEqual(unpaused);
      expect((await owner.preferring.post(path(owner, id, 'pause/'))).body).toMatchObject({ paused: true });
      expect((await owner.preferring.post(path(owner, id, 'unpause/'))).body).toMatchObject({
        paused: false,
      });
    });

    it('by PATCH flips the flag alone (BE-27)', async () => {
      const { id } = await create(owner);
      const patched = await owner.patch(path(owner, id), { paused: true });
      expect(patched.body).toMatchObject({ paused: true, last_paused_at: null });
    });

    it('at the same moment by many happens once', async () => {
      const { id } = await create(owner);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => owner.preferring.post(path(owner, id, 'pause/'))),
      );
      expect(statuses(answers)).toEqual({ 200: 20 });
      expect(new Set(answers.map(({ body }) => body.last_updated_at)).size).toBe(1);
    });
  });

  it('is gone with its organization, and with its project', async () => {
    const person = await api.owner();
    const { id } = await create(person);
    await api.eventAt(person.projectId, '2025-01-01T00:00:00Z');
    await person.post(path(person, id, 'backfill/'), {
      start_at: '2025-01-01T00:00:00Z',
      end_at: '2025-01-02T00:00:00Z',
    });
    expect(await api.rows('SELECT id FROM batch_export_runs WHERE batch_export_id = $1', [id])).toHaveLength(
      1,
    );
    expect((await person.delete(`/api/organizations/${person.organizationId}/`)).status).toBe(204);
    for (const table of ['batch_export_runs', 'batch_export_backfills', 'batch_export_log_entries']) {
      expect(await api.rows(`SELECT id FROM ${table} WHERE batch_export_id = $1`, [id])).toEqual([]);
    }
    expect(await rowsOf(id)).toEqual([]);
  });

  it('is created while its organization is deleted, or is not: never half, never a 500', async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await api.owner();
      const answers = await Promise.all([
        ...Array.from({ length: 5 }, () => person.post(person.path('batch_exports/'), REQUIRED)),
        person.delete(`/api/organizations/${person.organizationId}/`),
        ...Array.from({ length: 5 }, () => person.post(person.path('batch_exports/'), REQUIRED)),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    }
    const left =
      'SELECT e.id FROM batch_exports e LEFT JOIN organizations o ON o.id = e.organization_id WHERE o.id IS NULL';
    expect(await api.rows(left)).toEqual([]);
  });

  it('shows at most its ten newest runs, each with the fields and types of 2.3', async () => {
    const { id } = await create(owner, { interval: 'hour' });
    await owner.post(path(owner, id, 'backfill/'), {
      start_at: '2025-01-01T00:00:00Z',
      end_at: '2025-01-01T12:00:00Z',
    });
    const { latest_runs: runs } = (await owner.get(path(owner, id))).body;
    expect(runs.map((run: { data_interval_start: string }) => run.data_interval_start.slice(11, 13))).toEqual(
      ['11', '10', '09', '08', '07', '06', '05', '04', '03', '02'],
    );
    const run = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'Starting',
      records_completed: null,
      latest_error: null,
      data_interval_start: '2025-01-01T11:00:00Z',
      data_interval_end: '2025-01-01T12:00:00Z',
      cursor: null,
      created_at: expect.any(String),
      finished_at: null,
      last_updated_at: expect.any(String),
      records_total_count: null,
      batch_export: id,
      // Ours.
      backfill: expect.stringMatching(/^[0-9a-f-]{36}$/),
      attempt: 0,
      started_at: null,
      retry_at: null,
      bytes_exported: null,
    };
    expect(runs[0]).toEqual(run);
    expect(Object.keys(runs[0])).toEqual(Object.keys(run));
    const listed = (await owner.get(owner.path('batch_exports/?limit=1'))).body.results[0];
    expect(listed.latest_runs).toEqual(runs);
    const worked = `UPDATE batch_export_runs SET status = 'Completed', records_completed = 2147483647, cursor = 'c',
      records_total_count = 0, latest_error = 'e', finished_at = '2025-01-02' WHERE id = $1`;
    await api.rows(worked, [runs[0].id]);
    expect((await owner.get(path(owner, id))).body.latest_runs[0]).toMatchObject({
      status: 'Completed',
      records_completed: 2147483647,
      records_total_count: 0,
      cursor: 'c',
      latest_error: 'e',
      finished_at: '2025-01-02T00:00:00Z',
    });
  });
});
