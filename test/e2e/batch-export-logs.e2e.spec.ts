import { v7 as uuidv7 } from 'uuid';
import { type Person, TestApi } from '../support/api';
import { HourlyExports } from '../support/batch-exports';
import { refusal } from '../support/matchers';

describe('The log of a batch export', () => {
  let api: TestApi;
  let owner: Person;
  let hourly: HourlyExports;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
    hourly = await HourlyExports.of(api, owner);
  });
  afterAll(() => api.stop());

  const messages = async (id: string, query = '') => {
    const { body } = await owner.preferring.get(hourly.path(id, `logs/${query}`));
    return body.results.map(({ message }: { message: string }) => message);
  };
  const INSTANCE = uuidv7();
  /** An export with four entries, a minute apart from 2025-01-01, oldest first. */
  const logged = async (): Promise<string> => {
    const id = await hourly.create();
    const entries = [
      ['DEBUG', '100% done'],
      ['INFO', 'One_two'],
      ['WARNING', 'onextwo\\'],
      ['ERROR', 'failed'],
    ];
    for (const [minute, [level, message]] of entries.entries()) {
      await api.rows(
        `INSERT INTO batch_export_log_entries (id, batch_export_id, instance_id, timestamp, level, message)
         VALUES ($1, $2, $3, timestamptz '2025-01-01T00:00Z' + $4 * interval '1 minute', $5, $6)`,
        [uuidv7(), id, minute === 3 ? INSTANCE : uuidv7(), minute, level, message],
      );
    }
    return id;
  };

  it('tells of each backfill; 200 without a body unless asked, newest first, in pages (BE-37)', async () => {
    const id = await hourly.create();
    const made = await hourly.backfill(id);
    const bare = await owner.get(hourly.path(id, 'logs/'));
    expect([bare.status, bare.text]).toEqual([200, '']);
    const entry = {
      log_source_id: id,
      instance_id: made.id,
      timestamp: made.created_at,
      level: 'INFO',
      message:
        'Backfill from 2025-01-01T00:00:00+00:00 to 2025-01-02T00:00:00+00:00 requested: 24 runs wait to start',
    };
    expect((await owner.preferring.get(hourly.path(id, 'logs/'))).body).toEqual({
      count: 1,
      next: null,
      previous: null,
      results: [entry],
    });
    const four = await logged();
    const page = await owner.preferring.get(hourly.path(four, 'logs/?limit=3&level=debug,INFO, error'));
    expect(page.body).toMatchObject({ count: 3, next: null });
    const first = await owner.preferring.get(hourly.path(four, 'logs/?limit=3'));
    expect(first.body).toMatchObject({ count: 4, next: expect.stringContaining('limit=3&offset=3') });
    expect(await messages(four)).toEqual(['failed', 'onextwo\\', 'One_two', '100% done']);
    expect(await messages(four, '?limit=3&offset=3')).toEqual(['100% done']);
  });

  it.each([
    ['after=2025-01-01T00:01:00Z', ['failed', 'onextwo\\']],
    ['before=2025-01-01T00:01:00Z', ['100% done']],
    ['after=2025-01-01 00:00:00&before=2025-01-01T00:02:00%2B00:00', ['One_two']],
    ['level=Warning', ['onextwo\\']],
    ['level=&search=&after=&before=&instance_id=', ['failed', 'onextwo\\', 'One_two', '100% done']],
    ['search=ONE_', ['One_two']],
    ['search=%25', ['100% done']],
    ['search=%5C', ['onextwo\\']],
    [`search=${'x'.repeat(1000)}`, []],
    ['search=nothing', []],
    [`instance_id=${INSTANCE.toUpperCase()}`, ['failed']],
    [`instance_id=${INSTANCE}&level=INFO`, []],
  ])('finds by %s (BE-36)', async (query, expected) => {
    expect(await messages(await logged(), `?${query}`)).toEqual(expected);
  });

  it.each([
    ['limit=0', 'limit', 'min_value', 'Ensure this value is greater than or equal to 1.'],
    ['limit=501', 'limit', 'max_value', 'Ensure this value is less than or equal to 500.'],
    ['limit=x', 'limit', 'invalid_input', 'A valid integer is required.'],
    ['offset=-1', 'offset', 'min_value', 'Ensure this value is greater than or equal to 0.'],
    ['after=yesterday', 'after', 'invalid_input', expect.stringContaining('wrong format')],
    ['before=2025-13-01', 'before', 'invalid_input', expect.stringContaining('wrong format')],
    ['level=INFO,LOUD', 'level', 'invalid_choice', '"LOUD" is not a valid choice.'],
    ['level=INFO&level=DEBUG', 'level', 'invalid_input', 'Not a valid string.'],
    [`search=${'x'.repeat(1001)}`, 'search', 'max_length', expect.stringContaining('1000 characters')],
    ['search=%00', 'search', 'null_characters_not_allowed', 'Null characters are not allowed.'],
    ['instance_id=7', 'instance_id', 'invalid_input', 'Must be a valid UUID.'],
  ])('refuses %s, also when nobody asks for a body', async (query, attr, code, detail) => {
    const id = await hourly.create();
    expect(await owner.get(hourly.path(id, `logs/?${query}`))).toEqual(refusal(400, code, detail, attr));
  });

  it('tells what was done to a run or backfill, which `instance_id` finds', async () => {
    const id = await hourly.create();
    const other = await hourly.create();
    const made = await hourly.backfill(id);
    const [first, second] = await hourly.runs(id);
    for (const rest of [
      `runs/${first.id}/cancel/`,
      `runs/${first.id}/retry/`,
      `runs/${second.id}/cancel/`,
      `backfills/${made.id}/cancel/`,
    ]) {
      api.clock.advance({ seconds: 1 });
      expect((await owner.post(hourly.path(id, rest))).status).toBe(200);
    }
    expect(await messages(id, `?instance_id=${first.id}`)).toEqual([
      'Asked for again',
      'Cancelled: somebody asked for it',
    ]);
    expect(await messages(id, `?instance_id=${second.id}`)).toEqual(['Cancelled: somebody asked for it']);
    expect(await messages(id, `?instance_id=${made.id}&level=warning`)).toEqual([
      'Backfill cancelled: somebody asked for it, 23 of its runs had not ended',
    ]);
    expect(await messages(id)).toHaveLength(5);
    expect(await messages(other, `?instance_id=${first.id}`)).toEqual([]);
  });

  it('shows 50 entries unless asked for more, and each once though they are of one moment', async () => {
    const id = await hourly.create();
    await api.rows(
      `INSERT INTO batch_export_log_entries (id, batch_export_id, instance_id, timestamp, level, message)
       SELECT gen_random_uuid(), $1, $2, '2025-01-01T00:00Z', 'INFO', number::text FROM generate_series(1, 120) number`,
      [id, uuidv7()],
    );
    const base = owner.projectPath(`batch_exports/${id}/logs/`);
    const seen: string[] = [];
    let url: string | null = `${api.url}${base}?search=`;
    while (url) {
      const { body } = await owner.preferring.get(url.slice(api.url.length));
      expect(body).toMatchObject({ count: 120 });
      expect(body.results.length).toBe(Math.min(50, 120 - seen.length));
      seen.push(...body.results.map(({ message }: { message: string }) => message));
      url = body.next;
    }
    expect(new Set(seen).size).toBe(120);
    expect(await messages(id, '?limit=500')).toEqual(seen);
  });
});
