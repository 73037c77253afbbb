import { Logger } from '@nestjs/common';
import { Scheduler } from '../../src/batch-export/engine/scheduler';
import { RunQueries } from '../../src/batch-export/persistence/run.queries';
import { type Person, TestApi } from '../support/api';
import { DAY, HourlyExports } from '../support/batch-exports';
import { refusal, statuses } from '../support/matchers';

describe('Runs of batch exports', () => {
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

  const idsOf = (results: readonly { id: string }[]) => results.map(({ id }) => id);

  it('have the fields and types of 2.3 and their backfill, wherever they are shown', async () => {
    const id = await hourly.create();
    const made = await hourly.backfill(id, { ...DAY, end_at: '2025-01-01T01:00:00Z' });
    const [run] = await hourly.runs(id);
    expect(run).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'Starting',
      records_completed: null,
      latest_error: null,
      data_interval_start: '2025-01-01T00:00:00Z',
      data_interval_end: '2025-01-01T01:00:00Z',
      cursor: null,
      created_at: made.created_at,
      finished_at: null,
      last_updated_at: made.created_at,
      records_total_count: null,
      batch_export: id,
      backfill: made.id,
      attempt: 0,
      started_at: null,
      retry_at: null,
      bytes_exported: null,
    });
    await api.rows(
      `UPDATE batch_export_runs SET status = 'FailedRetryable', attempt = 2, bytes = 3000000000, records_completed = 7,
         started_at = '2025-01-01T01:00Z', retry_at = '2025-01-01T01:30Z', latest_error = 'The disk is full'
        WHERE id = $1`,
      [run.id],
    );
    const [failed] = await hourly.runs(id);
    expect(failed).toEqual({
      ...run,
      status: 'FailedRetryable',
      attempt: 2,
      bytes_exported: 3_000_000_000,
      records_completed: 7,
      started_at: '2025-01-01T01:00:00Z',
      retry_at: '2025-01-01T01:30:00Z',
      latest_error: 'The disk is full',
    });
    expect((await owner.get(hourly.path(id, `runs/${run.id}/`))).body).toEqual(failed);
    expect((await owner.get(hourly.path(id))).body.latest_runs).toEqual([failed]);
    const base = owner.projectPath(`batch_exports/${id}/runs/`);
    expect((await owner.get(base)).body.results).toEqual([failed]);
    expect((await owner.get(`${base}${run.id.toUpperCase()}/`)).body).toEqual(failed);
    const [scheduled] = await hourly.schedule(id, [{ start: '2025-02-01T00:00Z' }]);
    expect((await owner.get(hourly.path(id, `runs/${scheduled}/`))).body).toMatchObject({ backfill: null });
  });

  it('are listed newest first, schedule and backfills together, in pages that show each once', async () => {
    const id = await hourly.create();
    expect((await owner.get(hourly.path(id, 'runs/'))).body).toEqual({
      count: 0,
      next: null,
      previous: null,
      results: [],
    });
    const first = await hourly.schedule(id, [{ start: '2025-03-01T00:00Z' }, { start: '2025-03-01T01:00Z' }]);
    api.clock.advance({ seconds: 1 });
    await hourly.backfill(id);
    const last = await hourly.schedule(id, [{ start: '2025-03-01T02:00Z' }, { start: '2025-03-01T03:00Z' }]);
    const listed = await hourly.runs(id);
    // Those of the backfill were made between the others, and export what is older than all of them.
    const hours = Array.from({ length: 24 }, (_, hour) => 23 - hour);
    expect(
      listed.map((run: { data_interval_start: string }) => new Date(run.data_interval_start).getUTCHours()),
    ).toEqual([3, 2, ...hours, 1, 0]);
    expect(idsOf(listed).slice(0, 2)).toEqual([...last].reverse());
    expect(idsOf(listed).slice(-2)).toEqual([...first].reverse());
    expect((await owner.get(hourly.path(id))).body.latest_runs).toEqual(listed.slice(0, 10));

    const seen: string[] = [];
    let url: string | null = `${api.url}${hourly.path(id, 'runs/?limit=5&status=starting,completed')}`;
    while (url) {
      const page = await owner.get(url.slice(api.url.length));
      expect(page.body.count).toBe(28);
      seen.push(...idsOf(page.body.results));
      url = page.body.next;
    }
    expect(seen).toEqual(idsOf(listed));
  });

  it.each([
    ['', [3, 2, 1, 0]],
    ['status=Failed', [2]],
    ['status=completed, FAILED', [2, 0]],
    ['status=Cancelled', []],
    ['after=2025-01-01T01:00:00Z', [3, 2, 1]],
    ['after=2025-01-01 00:59:59', [3, 2, 1, 0]],
    ['before=2025-01-01T01:00:00Z', [0]],
    ['before=2025-01-01T02:00:01%2B01:00', [1, 0]],
    ['after=2025-01-01T01:00:00Z&before=2025-01-01T02:00:00Z', [1]],
    ['after=2025-01-01T02:15:00Z&before=2025-01-01T02:16:00Z&status=Failed', [2]],
    ['status=&after=&before=&backfill=', [3, 2, 1, 0]],
  ])('are found by %s', async (query, expected) => {
    const id = await hourly.create();
    const ids = await hourly.schedule(id, [
      { start: '2025-01-01T00:00Z' },
      { start: '2025-01-01T01:00Z', status: 'Running' },
      { start: '2025-01-01T02:00Z', status: 'Failed' },
      { start: '2025-01-01T03:00Z', status: 'Starting' },
    ]);
    expect(idsOf(await hourly.runs(id, `?${query}`)).map((found) => ids.indexOf(found))).toEqual(expected);
  });

  it('are found by their backfill', async () => {
    const id = await hourly.create();
    const other = await hourly.create();
    const first = await hourly.backfill(id);
    await hourly.backfill(id);
    await hourly.schedule(id, [{ start: '2025-01-01T00:00Z' }]);
    const found = await hourly.runs(id, `?backfill=${first.id.toUpperCase()}&before=2025-01-01T02:00:00Z`);
    expect(found.map((run: { backfill: string }) => run.backfill)).toEqual([first.id, first.id]);
    expect((await owner.get(hourly.path(id, `runs/?backfill=${first.id}`))).body.count).toBe(24);
    expect(await hourly.runs(other, `?backfill=${first.id}`)).toEqual([]);
  });

  it.each([
    ['limit=0', 'limit', 'min_value', 'Ensure this value is greater than or equal to 1.'],
    ['offset=x', 'offset', 'invalid_input', 'A valid integer is required.'],
    ['status=Failed,Broken', 'status', 'invalid_choice', '"Broken" is not a valid choice.'],
    ['status=Failed&status=Running', 'status', 'invalid_input', 'Not a valid string.'],
    ['after=yesterday', 'after', 'invalid_input', expect.stringContaining('wrong format')],
    ['before=2025-13-01', 'before', 'invalid_input', expect.stringContaining('wrong format')],
    ['backfill=7', 'backfill', 'invalid_input', 'Must be a valid UUID.'],
    ['backfill=%00', 'backfill', 'null_characters_not_allowed', 'Null characters are not allowed.'],
  ])('cannot be asked for with %s', async (query, attr, code, detail) => {
    const id = await hourly.create();
    expect(await owner.get(hourly.path(id, `runs/?${query}`))).toEqual(refusal(400, code, detail, attr));
  });

  describe('asked for again', () => {
    it.each(['Failed', 'TimedOut', 'Cancelled', 'Completed'])('that is %s begins it anew', async (status) => {
      const id = await hourly.create();
      const [runId = ''] = await hourly.schedule(id, [{ start: '2025-01-01T00:00Z', status }]);
      await api.rows(
        `UPDATE batch_export_runs SET attempt = 3, failures = 3, records_completed = 5, records_total_count = 9,
           bytes = 10, cursor = 'c', started_at = $2, finished_at = $2, latest_error = 'refused' WHERE id = $1`,
        [runId, api.clock.now()],
      );
      api.clock.advance({ seconds: 1 });
      const answer = await owner.post(hourly.path(id, `runs/${runId}/retry/`));
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        id: runId,
        status: 'Starting',
        records_completed: null,
        records_total_count: null,
        bytes_exported: null,
        cursor: null,
        started_at: null,
        finished_at: null,
        retry_at: null,
      });
      expect(answer.body.last_updated_at > answer.body.created_at).toBe(true);
      expect((await owner.get(hourly.path(id, `runs/${runId}/`))).body).toEqual(answer.body);
      expect(await hourly.isQueued(runId)).toBe(true);
    });

    it.each(['Starting', 'Running', 'FailedRetryable'])('that is %s is refused', async (status) => {
      const id = await hourly.create();
      const [runId = ''] = await hourly.schedule(id, [{ start: '2025-01-01T00:00Z', status }]);
      const before = await hourly.everythingOf(id);
      expect(await owner.post(hourly.path(id, `runs/${runId}/retry/`), { anything: 'ignored' })).toEqual(
        refusal(400, 'invalid_input', `The run has not ended yet: it is ${status}.`),
      );
      expect(await hourly.everythingOf(id)).toEqual(before);
      expect(await hourly.isQueued(runId)).toBe(false);
    });

    it('takes up the backfill that it belongs to again', async () => {
      const id = await hourly.create();
      const made = await hourly.backfill(id, { ...DAY, end_at: '2025-01-01T01:00:00Z' });
      const [run] = await hourly.runs(id);
      expect((await owner.post(hourly.path(id, `runs/${run.id}/cancel/`))).body.status).toBe('Cancelled');
      await api.app.get(Scheduler).tick();
      const after = hourly.path(id, `backfills/${made.id}/`);
      const ended = { ...made, status: 'Cancelled', finished_runs: 1, finished_at: expect.any(String) };
      expect((await owner.get(after)).body).toEqual(ended);
      expect((await owner.post(hourly.path(id, `runs/${run.id}/retry/`))).body.status).toBe('Starting');
      expect((await owner.get(after)).body).toEqual({ ...made, status: 'Running' });
      await api.app.get(Scheduler).tick();
      expect(await hourly.isQueued(run.id)).toBe(true);
    });

    it('by many at once happens once', async () => {
      const id = await hourly.create();
      const [runId = ''] = await hourly.schedule(id, [{ start: '2025-01-01T00:00Z', status: 'Failed' }]);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => owner.post(hourly.path(id, `runs/${runId}/retry/`))),
      );
      expect(statuses(answers)).toEqual({ 200: 1, 400: 19 });
      expect(await hourly.isQueued(runId)).toBe(true);
    });
  });

  describe('cancelled', () => {
    it.each(['Starting', 'Running', 'FailedRetryable'])('that is %s ends it', async (status) => {
      const id = await hourly.create();
      const [runId = ''] = await hourly.schedule(id, [{ start: '2025-01-01T00:00Z', status }]);
      await api.rows(
        "UPDATE batch_export_runs SET records_completed = 5, cursor = 'c', latest_error = 'e' WHERE id = $1",
        [runId],
      );
      const before = (await owner.get(hourly.path(id, `runs/${runId}/`))).body;
      api.clock.advance({ seconds: 1 });
      const answer = await owner.post(hourly.path(id, `runs/${runId}/cancel/`));
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        ...before,
        status: 'Cancelled',
        finished_at: answer.body.last_updated_at,
        last_updated_at: expect.any(String),
      });
      expect(answer.body.finished_at > before.last_updated_at).toBe(true);
      expect(await owner.post(hourly.path(id, `runs/${runId}/cancel/`))).toEqual(
        refusal(400, 'invalid_input', 'The run has ended already: it is Cancelled.'),
      );
      expect((await owner.get(hourly.path(id, `runs/${runId}/`))).body).toEqual(answer.body);
    });

    it.each(['Completed', 'Failed', 'TimedOut', 'Cancelled'])('that is %s is refused', async (status) => {
      const id = await hourly.create();
      const [runId = ''] = await hourly.schedule(id, [{ start: '2025-01-01T00:00Z', status }]);
      const before = await hourly.everythingOf(id);
      expect(await owner.post(hourly.path(id, `runs/${runId}/cancel/`), { anything: 'ignored' })).toEqual(
        refusal(400, 'invalid_input', `The run has ended already: it is ${status}.`),
      );
      expect(await hourly.everythingOf(id)).toEqual(before);
    });

    it('leaves nothing behind when a later step fails', async () => {
      const id = await hourly.create();
      const [open = '', ended = ''] = await hourly.schedule(id, [
        { start: '2025-01-01T00:00Z', status: 'Running' },
        { start: '2025-01-01T01:00Z', status: 'Failed' },
      ]);
      const before = await hourly.everythingOf(id);
      jest.spyOn(RunQueries.prototype, 'retrieve').mockRejectedValue(new Error('on purpose'));
      jest.spyOn(Logger.prototype, 'error').mockImplementation();
      expect((await owner.post(hourly.path(id, `runs/${open}/cancel/`))).status).toBe(500);
      expect((await owner.post(hourly.path(id, `runs/${ended}/retry/`))).status).toBe(500);
      expect(await hourly.everythingOf(id)).toEqual(before);
      expect(await hourly.isQueued(ended)).toBe(false);
    });
  });
});
