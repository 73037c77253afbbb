import { v7 as uuidv7 } from 'uuid';
import { type Person, TestApi } from '../support/api';
import { DAY, HourlyExports } from '../support/batch-exports';
import { NOT_FOUND, refusal } from '../support/matchers';

describe('Runs and backfills of batch exports', () => {
  let api: TestApi;
  let owner: Person;
  let hourly: HourlyExports;
  let stranger: Person;
  let strangers: HourlyExports;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    hourly = await HourlyExports.of(api, owner);
    stranger = await api.owner();
    strangers = await HourlyExports.of(api, stranger);
  });
  afterAll(() => api.stop());

  /** Every operation on the runs and backfills of an export, with the ids to put in. */
  const all = (caller: Person, base: string, runId: string, backfillId: string) => [
    () => caller.get(`${base}runs/${runId}/`),
    () => caller.post(`${base}runs/${runId}/retry/`),
    () => caller.post(`${base}runs/${runId}/cancel/`),
    () => caller.get(`${base}backfills/${backfillId}/`),
    () => caller.post(`${base}backfills/${backfillId}/cancel/`),
  ];
  const lists = (caller: Person, base: string) => [
    () => caller.get(`${base}runs/`),
    () => caller.get(`${base}backfills/`),
    () => caller.post(`${base}backfills/`, DAY),
  ];
  const expectNotFound = async (calls: (() => Promise<{ status: number }>)[]) => {
    for (const call of calls) expect(await call()).toEqual(NOT_FOUND());
  };

  it('are out of reach for other organizations, projects and exports, by every path', async () => {
    const second = (await owner.post(owner.path('projects/'), { name: 'Second' })).body.id;
    const id = await hourly.create();
    const made = await hourly.backfill(id);
    const [open = '', ended = ''] = await hourly.schedule(id, [
      { start: '2025-01-01T00:00Z', status: 'Running' },
      { start: '2025-01-01T01:00Z', status: 'Failed' },
    ]);
    const others: [Person, string][] = [
      [owner, await hourly.create()],
      [owner, await hourly.create(`/api/projects/${second}/batch_exports/`)],
      [stranger, await strangers.create()],
    ];
    const before = await hourly.everythingOf(id);
    for (const runId of [open, ended]) {
      // The export itself where it does not belong.
      for (const [caller, base] of [
        [stranger, stranger.path(`batch_exports/${id}/`)],
        [stranger, stranger.projectPath(`batch_exports/${id}/`)],
        [stranger, owner.path(`batch_exports/${id}/`)],
        [stranger, owner.projectPath(`batch_exports/${id}/`)],
        [owner, `/api/projects/${second}/batch_exports/${id}/`],
      ] as [Person, string][]) {
        await expectNotFound([...all(caller, base, runId, made.id), ...lists(caller, base)]);
      }
      // Its runs and backfills under exports that the caller does reach.
      for (const [caller, other] of others) {
        await expectNotFound(all(caller, caller.path(`batch_exports/${other}/`), runId, made.id));
      }
      // A run is no backfill, and a backfill no run.
      await expectNotFound(all(owner, hourly.path(id), made.id, runId));
    }
    await expectNotFound(all(owner, hourly.path(id), uuidv7(), uuidv7()));
    await expectNotFound(all(owner, hourly.path(id), 'not-an-id', 'not-an-id'));
    expect(await hourly.everythingOf(id)).toEqual(before);
    for (const [caller, other] of others) {
      expect((await caller.get(caller.path(`batch_exports/${other}/runs/`))).body.count).toBe(0);
      expect((await caller.get(caller.path(`batch_exports/${other}/backfills/`))).body.count).toBe(0);
    }
  });

  it('are gone with their export', async () => {
    const id = await hourly.create();
    const made = await hourly.backfill(id);
    const [run] = await hourly.runs(id);
    await owner.delete(hourly.path(id));
    await expectNotFound([...all(owner, hourly.path(id), run.id, made.id), ...lists(owner, hourly.path(id))]);
  });

  it('need the scope: reading read, the rest write. Any member may (BE-39)', async () => {
    const id = await hourly.create();
    const member = await api.member(owner);
    const reader = await api.as(member, { scopes: ['batch_export:read'] });
    const writer = await api.as(member, { scopes: ['batch_export:write'] });
    const made = (await writer.post(hourly.path(id, 'backfills/'), DAY)).body;
    const [run] = await hourly.runs(id);
    for (const rest of ['runs/', `runs/${run.id}/`, 'backfills/', `backfills/${made.id}/`]) {
      expect((await reader.get(hourly.path(id, rest))).status).toBe(200);
      expect((await writer.get(hourly.path(id, rest))).status).toBe(200);
    }
    const missing = refusal(403, 'permission_denied', "API key missing required scope 'batch_export:write'");
    for (const rest of [
      `runs/${run.id}/cancel/`,
      `runs/${run.id}/retry/`,
      'backfills/',
      `backfills/${made.id}/cancel/`,
    ]) {
      expect(await reader.post(hourly.path(id, rest), {})).toEqual(missing);
    }
    expect((await writer.post(hourly.path(id, `runs/${run.id}/cancel/`))).status).toBe(200);
    expect((await writer.post(hourly.path(id, `runs/${run.id}/retry/`))).status).toBe(200);
    expect((await writer.post(hourly.path(id, `backfills/${made.id}/cancel/`))).status).toBe(200);
  });
});
