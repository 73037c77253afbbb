import { Logger } from '@nestjs/common';
import { BackfillQueries } from '../../src/batch-export/persistence/backfill.queries';
import { type Person, TestApi } from '../support/api';
import { DAY, HourlyExports } from '../support/batch-exports';
import { refusal, statuses } from '../support/matchers';

describe('Backfills as resources', () => {
  let api: TestApi;
  let owner: Person;
  let hourly: HourlyExports;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    hourly = await HourlyExports.of(api, owner);
  });
  afterAll(() => api.stop());
  afterEach(() => jest.restoreAllMocks());

  it('are created with 201 and what `backfill` answers when asked (D1)', async () => {
    const id = await hourly.create();
    const created = await owner.post(hourly.path(id, 'backfills/'), { ...DAY, name: 'ignored' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.any(String),
      batch_export: id,
      start_at: '2025-01-01T00:00:00Z',
      end_at: '2025-01-02T00:00:00Z',
      status: 'Starting',
      total_runs: 24,
      finished_runs: 0,
      created_at: expect.any(String),
      finished_at: null,
    });
    api.clock.advance({ seconds: 1 });
    const other = await owner.preferring.post(hourly.path(id, 'backfill/'), DAY);
    expect(other.body).toEqual({
      ...created.body,
      id: expect.any(String),
      created_at: expect.any(String),
    });
    expect((await owner.get(hourly.path(id, 'backfills/'))).body).toEqual({
      count: 2,
      next: null,
      previous: null,
      results: [other.body, created.body],
    });
    const base = owner.projectPath(`batch_exports/${id}/backfills/`);
    expect((await owner.get(`${base}${created.body.id}/`)).body).toEqual(created.body);
    expect((await owner.get(`${base}?limit=1&offset=1`)).body.results).toEqual([created.body]);
    expect((await owner.post(base, DAY)).status).toBe(201);
  });

  it('are refused as by `backfill` (BE-30..BE-33)', async () => {
    const id = await hourly.create();
    const before = await hourly.everythingOf(id);
    for (const [range, detail] of [
      [{ ...DAY, end_at: DAY.start_at }, "The initial backfill datetime 'start_at' happens after 'end_at'"],
      [{ ...DAY, start_at: '2025-01-01T00:00:00' }, 'Input 2025-01-01T00:00:00 is naive.'],
      [{ ...DAY, end_at: '2999-01-01T00:00:00Z' }, expect.stringContaining('too far into the future')],
    ]) {
      expect(await owner.post(hourly.path(id, 'backfills/'), range)).toEqual(
        refusal(400, 'invalid_input', detail),
      );
    }
    expect(await owner.get(hourly.path(id, 'backfills/?limit=0'))).toEqual(
      refusal(400, 'min_value', 'Ensure this value is greater than or equal to 1.', 'limit'),
    );
    expect(await hourly.everythingOf(id)).toEqual(before);
  });

  it('count the runs that have ended, however they did, each its own', async () => {
    const id = await hourly.create();
    const first = await hourly.backfill(id);
    api.clock.advance({ seconds: 1 });
    const second = await hourly.backfill(id);
    await hourly.work(first.id, [
      'Completed',
      'Failed',
      'TimedOut',
      'Cancelled',
      'Running',
      'FailedRetryable',
      'Starting',
    ]);
    expect((await owner.get(hourly.path(id, 'backfills/'))).body.results).toEqual([
      second,
      { ...first, finished_runs: 4 },
    ]);
    expect((await owner.get(hourly.path(id, `backfills/${first.id}/`))).body.finished_runs).toBe(4);
  });

  it('are cancelled with those of their runs that have not ended', async () => {
    const id = await hourly.create();
    const made = await hourly.backfill(id, { ...DAY, end_at: '2025-01-01T04:00:00Z' });
    const other = await hourly.backfill(id);
    const [scheduled] = await hourly.schedule(id, [{ start: '2025-01-01T00:00Z', status: 'Running' }]);
    await hourly.work(made.id, ['Completed', 'Failed', 'Running']);
    api.clock.advance({ seconds: 1 });
    const answer = await owner.post(hourly.path(id, `backfills/${made.id}/cancel/`), {
      anything: 'ignored',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...made,
      status: 'Cancelled',
      finished_runs: 4,
      finished_at: expect.any(String),
    });
    const stateOf = async (query: string) =>
      (await hourly.runs(id, query)).map((run: { status: string }) => run.status);
    expect(await stateOf(`?backfill=${made.id}`)).toEqual(['Cancelled', 'Cancelled', 'Failed', 'Completed']);
    expect(new Set(await stateOf(`?backfill=${other.id}`))).toEqual(new Set(['Starting']));
    expect((await owner.get(hourly.path(id, `runs/${scheduled}/`))).body.status).toBe('Running');
    expect((await owner.get(hourly.path(id, `backfills/${other.id}/`))).body).toEqual(other);
    expect(await owner.post(hourly.path(id, `backfills/${made.id}/cancel/`))).toEqual(
      refusal(400, 'invalid_input', 'The backfill has ended already: it is Cancelled.'),
    );
  });

  it('are cancelled as a whole or not at all, and by many at once one time', async () => {
    const id = await hourly.create();
    const made = await hourly.backfill(id);
    const before = await hourly.everythingOf(id);
    jest.spyOn(BackfillQueries.prototype, 'retrieve').mockRejectedValueOnce(new Error('on purpose'));
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    expect((await owner.post(hourly.path(id, `backfills/${made.id}/cancel/`))).status).toBe(500);
    expect(await hourly.everythingOf(id)).toEqual(before);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => owner.post(hourly.path(id, `backfills/${made.id}/cancel/`))),
    );
    expect(statuses(answers)).toEqual({ 200: 1, 400: 19 });
  });
});
