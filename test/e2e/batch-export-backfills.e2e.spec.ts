import { Logger } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { BackfillQueries } from '../../src/batch-export/persistence/backfill.queries';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal } from '../support/matchers';

const HOUR = 3_600_000;
const S3 = { type: 'S3', config: { bucket_name: 'b', region: 'r', prefix: '' } };

describe("Batch exports' backfills", () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    await api.eventAt(owner.projectId, '2021-01-01T00:00:00Z');
    // Half past an hour, so that no boundary passes while a test runs.
    api.clock.advance({ minutes: 90 - api.clock.now().getUTCMinutes() });
  });
  afterAll(() => api.stop());
  afterEach(() => jest.restoreAllMocks());

  const create = async (body: object = {}, caller = owner): Promise<string> => {
    const made = { name: 'Hourly', interval: 'hour', destination: { type: 'NoOp' }, ...body };
    const created = await caller.post(caller.path('batch_exports/'), made);
    expect(created.status).toBe(201);
    return created.body.id;
  };
  const path = (id: string, operation = '', caller = owner) =>
    caller.path(`batch_exports/${id}/${operation}`);
  const backfill = (id: string, start_at?: unknown, end_at?: unknown, caller = owner) =>
    caller.preferring.post(path(id, 'backfill/', caller), { start_at, end_at });
  const runsOf = (id: string) =>
    api.rows<{ start: Date; end: Date; status: string; backfill_id: string | null }>(
      `SELECT data_interval_start AS start, data_interval_end AS end, status, backfill_id FROM batch_export_runs
        WHERE batch_export_id = $1 ORDER BY id`,
      [id],
    );
  /** A moment so many hours from now, as a caller writes it. */
  const ahead = (hours: number, seconds = 0) =>
    new Date(api.clock.now().getTime() + hours * HOUR + seconds * 1000).toISOString();
  const nothingOf = async (id: string) => {
    expect(await runsOf(id)).toEqual([]);
    expect((await owner.preferring.get(path(id, 'logs/'))).body.count).toBe(0);
  };

  describe('that go on', () => {
    /** So many that go on, each of so many runs. */
    const goOn = (id: string, backfills: number, runs: number) =>
      api.rows(
        `WITH added AS (
           INSERT INTO batch_export_backfills (id, batch_export_id, status, total_runs, created_at)
           SELECT gen_random_uuid(), $1, 'Starting', $3, now() FROM generate_series(1, $2::integer) RETURNING id)
         INSERT INTO batch_export_runs (id, batch_export_id, backfill_id, status, data_interval_start, data_interval_end,
                created_at, last_updated_at)
         SELECT gen_random_uuid(), $1, added.id, 'Starting', '2010-01-01T00:00Z'::timestamptz + number * interval '1 hour',
                '2010-01-01T01:00Z'::timestamptz + number * interval '1 hour', now(), now()
           FROM added, generate_series(1, $3::integer) AS number`,
        [id, backfills, runs],
      );
    const HOURS = ['2021-01-01T00:00:00Z', '2021-01-01T02:00:00Z'];
    const ended = () => api.rows('DELETE FROM batch_export_backfills');

    it('are a hundred in a project at most, however many ask at once', async () => {
      await ended();
      const [id, other] = [await create(), await create()];
      await goOn(id, 95, 1);
      const answers = await Promise.all(Array.from({ length: 10 }, () => backfill(other, ...HOURS)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      const details =
        'The project has 100 backfills that have not ended, as many as it may. Wait until one has ended, or cancel one.';
      expect(answers.filter(({ status }) => status !== 200)).toEqual(
        Array(5).fill(refusal(400, 'invalid_input', details)),
      );
      const elsewhere = await api.owner();
      await api.eventAt(elsewhere.projectId, '2021-01-01T00:00:00Z');
      expect((await backfill(await create({}, elsewhere), ...HOURS, elsewhere)).status).toBe(200);
      await owner.post(
        path(other, `backfills/${answers.find(({ status }) => status === 200)?.body.id}/cancel/`),
      );
      expect((await backfill(id, ...HOURS)).status).toBe(200);
      await ended();
    });

    it('have thirty thousand runs left at most, those of a pause included', async () => {
      await ended();
      const [id, other] = [await create(), await create()];
      await goOn(id, 3, 9_999);
      expect((await backfill(other, ...HOURS)).status).toBe(200);
      const details = (runs: number) =>
        `The backfill would be ${runs} runs, and those of the project's other backfills that have not ended are 29999: ` +
        'together they may be 30000. Wait until more have ended, cancel a backfill, or ask for a part of it.';
      expect(await backfill(other, ...HOURS)).toEqual(refusal(400, 'invalid_input', details(2)));
      await owner.post(path(id, 'pause/'));
      await goOn(id, 1, 29_997);
      api.clock.advance({ hours: 3 });
      const before = (await owner.get(path(id))).body;
      expect(await owner.post(path(id, 'unpause/'), { backfill: true })).toEqual(
        refusal(400, 'invalid_input', expect.stringContaining('together they may be 30000')),
      );
      expect((await owner.get(path(id))).body).toEqual(before);
      await ended();
    });
  });

  it('record a run in Starting for each interval; 200 without a body unless asked (D1)', async () => {
    const id = await create();
    const bounds = { start_at: '2021-01-01T00:10:00-05:00', end_at: '2021-01-01T08:00:00+00:00' };
    const bare = await owner.post(path(id, 'backfill/'), { ...bounds, name: 'ignored', interval: 'day' });
    expect([bare.status, bare.text]).toEqual([200, '']);
    const { status, body } = await owner.preferring.post(path(id, 'backfill/'), bounds);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      batch_export: id,
      start_at: '2021-01-01T05:10:00Z',
      end_at: '2021-01-01T08:00:00Z',
      status: 'Starting',
      total_runs: 3,
      finished_runs: 0,
      created_at: expect.any(String),
      finished_at: null,
    });
    const runs = (await runsOf(id)).filter(({ backfill_id }) => backfill_id === body.id);
    expect(runs.map(({ start, end, status }) => [start.toISOString(), end.toISOString(), status])).toEqual([
      ['2021-01-01T05:00:00.000Z', '2021-01-01T06:00:00.000Z', 'Starting'],
      ['2021-01-01T06:00:00.000Z', '2021-01-01T07:00:00.000Z', 'Starting'],
      ['2021-01-01T07:00:00.000Z', '2021-01-01T08:00:00.000Z', 'Starting'],
    ]);
  });

  it.each([
    ['not a date', undefined, 'Input not a date is not a valid ISO formatted datetime.'],
    ['2021-02-30T00:00:00Z', undefined, 'Input 2021-02-30T00:00:00Z is not a valid ISO formatted datetime.'],
    ['2021-01-01T01:00:00', '2021-01-02T01:00:00Z', 'Input 2021-01-01T01:00:00 is naive.'],
    ['2021-01-01T01:00:00Z', '2021-01-02T01:00:00', 'Input 2021-01-02T01:00:00 is naive.'],
    [
      '2021-01-02T00:00:00Z',
      '2021-01-02T00:00:00Z',
      "The initial backfill datetime 'start_at' happens after 'end_at'",
    ],
    ['2021-01-01T00:00:00Z', null, 'Backfilling a BatchExport with no end date is not allowed'],
    [undefined, undefined, 'Backfilling a BatchExport with no end date is not allowed'],
  ])('from %s to %s are refused (BE-30..BE-33)', async (start, end, detail) => {
    const id = await create({ destination: S3 });
    expect(await backfill(id, start, end)).toEqual(refusal(400, 'invalid_input', detail));
    await nothingOf(id);
  });

  it('take texts alone as bounds', async () => {
    const id = await create();
    for (const field of ['start_at', 'end_at']) {
      expect(await owner.post(path(id, 'backfill/'), { [field]: 5 })).toEqual(
        refusal(400, 'invalid_input', 'Not a valid string.', field),
      );
    }
    await nothingOf(id);
  });

  it('reach one interval into the future and no further (BE-32)', async () => {
    const id = await create({ destination: S3 });
    const late = ahead(1, 30);
    const detail = `The provided 'end_at' (${late.replace(/(\.\d{3})Z/, '$1000+00:00')}) is too far into the future. `;
    expect(await backfill(id, ahead(-3), late)).toEqual(
      refusal(400, 'invalid_input', expect.stringContaining(detail.replace('.000000', ''))),
    );
    await nothingOf(id);
    expect((await backfill(id, ahead(-3), ahead(1, -30))).status).toBe(200);
  });

  it('begin with the earliest data; HTTP and NoOp need no end (BE-33, BE-34)', async () => {
    const person = await api.owner();
    const id = await create({}, person);
    const http = await create(
      { destination: { type: 'HTTP', config: { url: 'https://a', token: 't' } } },
      person,
    );
    const s3 = await create({ destination: S3 }, person);
    await api.eventAt(person.projectId, ahead(-24));
    await api.eventAt(person.projectId, ahead(-1));
    const hours = 24 * HOUR;
    const answer = await backfill(id, null, null, person);
    expect(answer.body).toMatchObject({ start_at: null, end_at: null, total_runs: 24 });
    const bare = await person.preferring.post(path(http, 'backfill/', person));
    expect(bare.body).toMatchObject({ total_runs: 24 });
    const runs = await runsOf(id);
    const now = api.clock.now().getTime();
    expect(runs.at(-1)?.end.getTime()).toBe(Math.floor(now / HOUR) * HOUR);
    expect(runs[0]?.start.getTime()).toBe(Math.floor((now - hours) / HOUR) * HOUR);
    expect((await backfill(s3, null, ahead(0), person)).body).toMatchObject({
      start_at: null,
      total_runs: 25,
    });
    expect((await backfill(s3, ahead(-99), ahead(0), person)).body).toMatchObject({
      start_at: expect.any(String),
      total_runs: 25,
    });
    const first = new Date(runs[0]?.start ?? 0).toISOString().slice(0, 19).replace('T', ' ');
    const detail =
      'The provided backfill date range contains no data. The earliest possible backfill start date is ';
    expect(await backfill(s3, ahead(-99), ahead(-48), person)).toEqual(
      refusal(400, 'invalid_input', detail + first),
    );
    expect(await backfill(id, ahead(0), null, person)).toEqual(
      refusal(400, 'invalid_input', expect.stringContaining('nothing to backfill')),
    );
  });

  it('are refused where the model has no data at all (BE-34)', async () => {
    const person = await api.owner();
    const detail = 'There is no data to backfill for this model.';
    const none = refusal(400, 'invalid_input', detail);
    const id = await create({}, person);
    expect(await backfill(id, ahead(-3), ahead(0), person)).toEqual(none);
    await api.eventAt(person.projectId, ahead(-2));
    expect((await backfill(id, ahead(-3), ahead(0), person)).status).toBe(200);
    const persons = await create({ model: 'persons' }, person);
    expect(await backfill(persons, ahead(-3), ahead(0), person)).toEqual(none);
  });

  it('have at most 10,000 runs, however long ago they begin', async () => {
    const person = await api.owner();
    await api.eventAt(person.projectId, '0001-01-01T00:00:00Z');
    const id = await create({ interval: 'every 5 minutes' }, person);
    const large = await backfill(id, '2021-01-01T00:00:00Z', '2021-02-04T17:20:00Z', person);
    expect(large.body.total_runs).toBe(10_000);
    for (const [start, end, runs] of [
      ['2021-01-01T00:00:00Z', '2021-02-04T17:20:01Z', '10001'],
      ['0001-01-01T00:00:00Z', '2021-01-01T00:00:00Z', '212483520'],
    ]) {
      const detail = `The backfill would be ${runs} runs, more than the 10000 that one backfill may have. `;
      expect(await backfill(id, start, end, person)).toEqual(
        refusal(400, 'invalid_input', expect.stringContaining(detail)),
      );
    }
    expect(await runsOf(id)).toHaveLength(10_000);
  });

  it('work for a paused export, and are cancelled when it is deleted (BE-28)', async () => {
    const id = await create({ paused: true });
    await backfill(id, '2021-01-01T00:00:00Z', '2021-01-01T03:00:00Z');
    await api.rows(
      `UPDATE batch_export_runs SET status = CASE WHEN data_interval_start = '2021-01-01T00:00Z' THEN 'Completed'
         WHEN data_interval_start = '2021-01-01T01:00Z' THEN 'Running' ELSE status END WHERE batch_export_id = $1`,
      [id],
    );
    const deleted = await owner.delete(path(id));
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await runsOf(id)).map(({ status }) => status)).toEqual(['Completed', 'Cancelled', 'Cancelled']);
    const backfills = 'SELECT status, finished_at FROM batch_export_backfills WHERE batch_export_id = $1';
    expect(await api.rows(backfills, [id])).toEqual([{ status: 'Cancelled', finished_at: expect.any(Date) }]);
    expect(await api.rows('SELECT deleted FROM batch_exports WHERE id = $1', [id])).toEqual([
      { deleted: true },
    ]);
    for (const operation of ['', 'logs/']) {
      expect(await owner.get(path(id, operation))).toEqual(NOT_FOUND());
    }
    expect(await owner.delete(path(id))).toEqual(NOT_FOUND());
    expect(await backfill(id, '2021-01-01T00:00:00Z', '2021-01-01T03:00:00Z')).toEqual(NOT_FOUND());
  });

  it('leave nothing behind when a later step fails', async () => {
    const id = await create();
    jest.spyOn(BackfillQueries.prototype, 'retrieve').mockRejectedValue(new Error('on purpose'));
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const failed = await backfill(id, '2021-01-01T00:00:00Z', '2021-01-02T00:00:00Z');
    expect(failed.status).toBe(500);
    await nothingOf(id);
    expect(await api.rows('SELECT id FROM batch_export_backfills WHERE batch_export_id = $1', [id])).toEqual(
      [],
    );
  });

  it('have one run for each interval; so has the schedule', async () => {
    const id = await create();
    const { body } = await backfill(id, '2021-01-01T00:00:00Z', '2021-01-01T01:00:00Z');
    const again = (backfillId: string | null) =>
      api.rows(
        `INSERT INTO batch_export_runs (id, batch_export_id, backfill_id, status, data_interval_start, data_interval_end,
           created_at, last_updated_at)
         VALUES ($1, $2, $3, 'Starting', '2021-01-01T00:00Z', '2021-01-01T01:00Z', now(), now())`,
        [uuidv7(), id, backfillId],
      );
    await expect(again(body.id)).rejects.toThrow('batch_export_runs_backfill_unique');
    await again(null);
    await expect(again(null)).rejects.toThrow('batch_export_runs_scheduled_unique');
  });

  describe('on unpausing', () => {
    it('ask for the runs that the pause kept from happening (BE-29)', async () => {
      const id = await create();
      await owner.post(path(id, 'pause/'));
      const { last_paused_at } = (await owner.get(path(id))).body;
      api.clock.advance({ hours: 3 });
      const { body } = await owner.preferring.post(path(id, 'unpause/'), { backfill: true });
      expect(body).toMatchObject({ paused: false });
      expect(await runsOf(id)).toHaveLength(3);
      expect(
        await api.rows(
          `SELECT iso8601(start_at) AS start, iso8601(end_at) AS end FROM batch_export_backfills
            WHERE batch_export_id = $1`,
          [id],
        ),
      ).toEqual([{ start: last_paused_at, end: body.last_updated_at }]);
    });

    it('are not made when nothing was missed, or not asked for', async () => {
      const id = await create({ interval: 'week' });
      await owner.post(path(id, 'pause/'));
      await owner.patch(path(id), { last_paused_at: ahead(0, -1) });
      await owner.post(path(id, 'unpause/'), { backfill: false });
      await owner.patch(path(id), { paused: true, last_paused_at: '2999-01-01T00:00:00Z' });
      expect((await owner.post(path(id, 'unpause/'), { backfill: true })).status).toBe(200);
      await nothingOf(id);
    });

    it('leave the export paused when they cannot be made', async () => {
      const id = await create({ paused: true, last_paused_at: '0001-01-01T00:00:00Z' });
      expect(await owner.post(path(id, 'unpause/'), { backfill: true })).toEqual(
        refusal(400, 'invalid_input', expect.stringContaining('more than the 10000')),
      );
      expect(await owner.post(path(id, 'unpause/'), { backfill: 'yes' })).toEqual(
        refusal(400, 'invalid_input', 'Must be a valid boolean.', 'backfill'),
      );
      expect((await owner.get(path(id))).body.paused).toBe(true);
      await nothingOf(id);
    });
  });
});
