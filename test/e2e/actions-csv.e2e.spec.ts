import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal } from '../support/matchers';

const HEADER =
  'bytecode_error,created_at,created_by.distinct_id,created_by.email,created_by.first_name,' +
  'created_by.hedgehog_config,created_by.id,created_by.is_email_verified,created_by.last_name,created_by.uuid,' +
  'creation_context,deleted,description,id,is_action,is_calculating,last_calculated_at,name,pinned_at,' +
  'post_to_slack,slack_message_format,team_id';

/** The cells of a row without quotes, by column. */
function cells(csv: string, row: number): Record<string, string> {
  const [header = '', ...rows] = csv.split('\r\n').map((line) => line.split(','));
  return Object.fromEntries([...header].map((column, index) => [column, rows[row]?.[index] ?? '']));
}

describe('Actions as CSV (D6, ACT-17, ACT-18)', () => {
  let api: TestApi;
  let owner: Person;
  let path: string;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());
  beforeEach(async () => {
    owner = await api.owner();
    path = owner.projectPath('actions/');
  });

  it('have a header even when there are none', async () => {
    const answer = await owner.get(`${path}?format=csv`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.text).toBe(`${HEADER}\r\n`);
  });

  it('are one row each; what steps and tags have is added, sorted', async () => {
    const at = (hour: number) => `2025-03-01T0${hour}:00:00Z`;
    await owner.post(path, { name: 'Plain', last_calculated_at: at(1) });
    const full = {
      name: 'Full',
      last_calculated_at: at(2),
      tags: ['x', 'y'],
      steps: [{ event: 'e', properties: [{ key: 'k', value: [1, true, null] }] }],
    };
    const { body } = await owner.post(path, full);
    const { text } = await owner.get(`${path}?format=csv`);
    const [header = ''] = text.split('\r\n');
    const columns = header.split(',');
    expect(columns).toEqual([...columns].sort());
    expect(columns.filter((column) => /^(steps|tags)/.test(column))).toEqual([
      'steps.0.event',
      'steps.0.href',
      'steps.0.href_matching',
      'steps.0.properties.0.key',
      'steps.0.properties.0.value.0',
      'steps.0.properties.0.value.1',
      'steps.0.properties.0.value.2',
      'steps.0.selector',
      'steps.0.tag_name',
      'steps.0.text',
      'steps.0.text_matching',
      'steps.0.url',
      'steps.0.url_matching',
      'tags.0',
      'tags.1',
    ]);
    expect(columns.filter((column) => !/^(steps|tags)/.test(column)).join()).toBe(HEADER);
    expect(cells(text, 0)).toMatchObject({
      id: String(body.id),
      name: 'Full',
      'created_by.email': owner.user.email,
      'created_by.hedgehog_config': '',
      deleted: 'False',
      is_action: 'True',
      last_calculated_at: at(2),
      pinned_at: '',
      'steps.0.event': 'e',
      'steps.0.properties.0.value.0': '1',
      'steps.0.properties.0.value.1': 'True',
      'steps.0.properties.0.value.2': '',
      'tags.1': 'y',
    });
    expect(cells(text, 1)).toMatchObject({ name: 'Plain', 'tags.0': '', 'steps.0.event': '' });
    expect(text.split('\r\n')).toHaveLength(4);
  });

  it('are a row when one is created, retrieved, changed or replaced', async () => {
    const created = await owner.post(`${path}?format=csv`, { name: 'A' });
    expect(created.status).toBe(201);
    const { id } = cells(created.text, 0);
    const one = `${path}${id}/?format=csv`;
    for (const answer of [
      await owner.get(one),
      await owner.patch(one, { description: '' }),
      await owner.put(one, { name: 'A' }),
    ]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.text).toBe(created.text);
    }
    expect(created.text.split('\r\n')).toHaveLength(3);
  });

  it('come in pages', async () => {
    const at = (hour: number) => `2025-03-01T0${hour}:00:00Z`;
    for (const hour of [1, 2, 3]) await owner.post(path, { name: `${hour}`, last_calculated_at: at(hour) });
    const { text } = await owner.get(`${path}?format=csv&limit=1&offset=1`);
    expect(text.split('\r\n')).toHaveLength(3);
    expect(cells(text, 0).name).toBe('2');
    const refused = await owner.get(`${path}?format=csv&limit=0`);
    expect(refused).toEqual(
      refusal(400, 'min_value', 'Ensure this value is greater than or equal to 1.', 'limit'),
    );
  });

  it('run nothing in a spreadsheet, and are quoted where needed', async () => {
    const names = ['=1+1', '+1', '-1', '@SUM(A1)', "'quoted", 'a "b", c', 'two\r\nlines', 'lf\nonly', 'x=1'];
    const shown = [
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      "'quoted",
      '"a ""b"", c"',
      '"two\r\nlines"',
      '"lf\nonly"',
      'x=1',
    ];
    for (const [index, name] of names.entries()) {
      const { text } = await owner.post(`${path}?format=csv`, { name });
      expect(text).toContain(`,${shown[index]},`);
    }
    const tags = await owner.post(`${path}?format=csv`, {
      name: 'A',
      description: '\tx',
      slack_message_format: '\rx',
      steps: [{ properties: [{ value: -5 }] }],
    });
    expect(tags.text).toContain(",'\tx,");
    expect(tags.text).toContain(`,"'\rx",`);
    expect(cells(tags.text.replace(/"'\rx"/, ''), 0)['steps.0.properties.0.value']).toBe("'-5");
  });

  it('of a user who is gone have the columns of a user, empty', async () => {
    const { body } = await owner.post(path, { name: 'A' });
    await api.rows('UPDATE actions SET created_by_id = NULL WHERE id = $1', [body.id]);
    const { text } = await owner.get(`${path}?format=csv`);
    expect(text.startsWith(`${HEADER}\r\n`)).toBe(true);
    expect(cells(text, 0)['created_by.email']).toBe('');
  });

  it('are refused when the table would be too large', async () => {
    const filter = (of: number) =>
      Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${of}_${index}`, 0]));
    for (let of = 0; of < 50; of += 1) {
      const created = await owner.post(path, { name: `${of}`, steps: [{ properties: [filter(of)] }] });
      expect(created.status).toBe(201);
    }
    expect((await owner.get(path)).status).toBe(200);
    const detail = 'The table would have more than 16384 columns. Ask for fewer actions at a time.';
    expect(await owner.get(`${path}?format=csv`)).toEqual(refusal(400, 'max_value', detail, 'limit'));
    expect((await owner.get(`${path}?format=csv&limit=15`)).status).toBe(200);
  });

  it('may be larger together than a page of JSON', async () => {
    for (let of = 0; of < 10; of += 1) {
      const steps = [{ properties: [{ key: 'x'.repeat(1_000_000) }] }];
      expect((await owner.post(path, { name: `${of}`, steps })).status).toBe(201);
    }
    const { text } = await owner.get(`${path}?format=csv`);
    expect(text.length).toBeGreaterThan(10_000_000);
    expect(text.split('\r\n')).toHaveLength(12);
    expect((await owner.get(path)).body.results.length).toBeLessThan(10);
  });

  it('and JSON are all there is: another format is not found, errors are JSON', async () => {
    const { body } = await owner.post(path, { name: 'A' });
    const one = `${path}${body.id}/`;
    for (const query of ['?format=xml', '?format=', '?format=CSV', '?format=csv&format=csv']) {
      expect(await owner.get(path + query)).toEqual(NOT_FOUND());
      expect(await owner.post(path + query, { name: 'B' })).toEqual(NOT_FOUND());
      expect(await owner.get(one + query)).toEqual(NOT_FOUND());
      expect(await owner.patch(one + query, { name: 'B' })).toEqual(NOT_FOUND());
      expect(await owner.put(one + query, { name: 'B' })).toEqual(NOT_FOUND());
      expect(await owner.delete(one + query)).toEqual(NOT_FOUND());
    }
    expect((await owner.get(path)).body).toMatchObject({ count: 1, results: [{ name: 'A' }] });
    for (const query of ['', '?format=json']) {
      expect((await owner.get(one + query)).headers.get('content-type')).toBe(
        'application/json; charset=utf-8',
      );
    }
    expect(await owner.post(`${path}?format=csv`, {})).toEqual(
      refusal(400, 'required', 'This field is required.', 'name'),
    );
    expect(await api.anyone().get(`${path}?format=xml`)).toMatchObject({ status: 401 });
    expect(await (await api.owner()).get(`${path}?format=csv`)).toEqual(NOT_FOUND());
  });
});
