import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/);

const NO_STEP = {
  event: null,
  properties: null,
  selector: null,
  tag_name: null,
  text: null,
  text_matching: null,
  href: null,
  href_matching: null,
  url: null,
  url_matching: 'contains',
};

const nameTaken = (id: number) =>
  refusal(400, 'unique', `This project already has an action with this name, ID ${id}`, 'name');

describe('Actions', () => {
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

  const create = async (body: object) => {
    const created = await owner.post(path, body);
    if (created.status !== 201) throw new Error(created.text);
    return { ...created.body, path: `${path}${created.body.id}/` };
  };

  describe('the operations of 4.7', () => {
    it('creates one with the fields of 2.9, in their order, and the defaults of ACT-01', async () => {
      const created = await owner.post(path, { name: ' Signed up ', steps: [{ text: 'Go', url: '/x ' }] });
      expect(created.status).toBe(201);
      expect(created.body).toEqual({
        id: expect.any(Number),
        name: 'Signed up',
        description: '',
        tags: [],
        post_to_slack: false,
        slack_message_format: '',
        steps: [{ ...NO_STEP, text: 'Go', url: '/x' }],
        created_at: TIME,
        created_by: expect.objectContaining({ id: owner.user.id, email: owner.user.email }),
        deleted: false,
        is_calculating: false,
        last_calculated_at: created.body.created_at,
        team_id: owner.projectId,
        is_action: true,
        bytecode_error: null,
        pinned_at: null,
        creation_context: null,
      });
      expect(Object.keys(created.body).join()).toBe(
        'id,name,description,tags,post_to_slack,slack_message_format,steps,created_at,created_by,deleted,' +
          'is_calculating,last_calculated_at,team_id,is_action,bytecode_error,pinned_at,creation_context',
      );
      expect((await owner.get(`${path}${created.body.id}/`)).body).toEqual(created.body);
    });

    it('writes every writable field, and ignores read-only and unknown ones', async () => {
      const fields = {
        name: 'All',
        description: ' As sent ',
        tags: ['b', 'a'],
        post_to_slack: true,
        slack_message_format: '[person]',
        steps: [],
        deleted: false,
        last_calculated_at: '2025-03-01T09:30:00.250000Z',
        pinned_at: '2025-03-02T00:00:00Z',
      };
      const ignored = {
        id: 1,
        created_by: null,
        created_at: '2000-01-01T00:00:00Z',
        team_id: 999,
        is_calculating: true,
        is_action: false,
        bytecode_error: 'x',
        creation_context: 'x',
        isNew: true,
      };
      const created = await owner.post(path, { ...fields, ...ignored });
      expect(created.body).toMatchObject({ ...fields, team_id: owner.projectId, is_calculating: false });
      expect(created.body).toMatchObject({ is_action: true, bytecode_error: null, creation_context: null });
      const patched = await owner.patch(`${path}${created.body.id}/`, { ...created.body, ...ignored });
      expect(patched.body).toEqual(created.body);
    });

    it('lists the latest calculated first, then by name, in pages that keep format', async () => {
      const at = (hour: number) => `2025-03-01T0${hour}:00:00Z`;
      await create({ name: 'b', last_calculated_at: at(1) });
      await create({ name: 'c', last_calculated_at: at(2) });
      await create({ name: 'a', last_calculated_at: at(1) });
      const names: string[] = [];
      let next: string | null = `${path}?format=json&limit=1`;
      while (next) {
        const page = await owner.get(next.replace(api.url, ''));
        expect(page.body.count).toBe(3);
        names.push(...page.body.results.map(({ name }: { name: string }) => name));
        next = page.body.next;
        if (next) expect(next).toMatch(/\/actions\/\?format=json&limit=1&offset=\d$/);
      }
      expect(names).toEqual(['c', 'a', 'b']);
    });

    it('changes some fields by PATCH and leaves the others', async () => {
      const action = await create({ name: 'A', tags: ['x'], steps: [{ event: 'e' }], pinned_at: null });
      const patched = await owner.patch(action.path, { description: 'New' });
      expect(patched).toMatchObject({ status: 200, body: { ...patched.body, description: 'New' } });
      expect(patched.body).toMatchObject({ name: 'A', tags: ['x'], steps: [{ event: 'e' }] });
      expect((await owner.patch(action.path, {})).body).toEqual(patched.body);
      expect((await owner.patch(action.path)).body).toEqual(patched.body);
      const nameless = await owner.patch(action.path, { name: null });
      expect(nameless).toEqual(refusal(400, 'null', 'This field may not be null.', 'name'));
    });

    it('takes PUT by the rules of create: a name is required (D4)', async () => {
      const action = await create({ name: 'A', tags: ['x'], steps: [{ event: 'e' }] });
      const nameless = await owner.put(action.path, { description: 'x' });
      expect(nameless).toEqual(refusal(400, 'required', 'This field is required.', 'name'));
      const replaced = await owner.put(action.path, { name: 'B' });
      expect(replaced.status).toBe(200);
      expect(replaced.body).toMatchObject({ name: 'B', tags: ['x'], steps: [{ event: 'e' }] });
    });

    it('needs action:read to read and action:write to write, refused DELETE included', async () => {
      const action = await create({ name: 'A' });
      const reader = await api.as(owner, { scopes: ['action:read'] });
      const writer = await api.as(owner, { scopes: ['action:write'] });
      const other = await api.as(owner, { scopes: ['plugin:write'] });
      expect((await reader.get(path)).status).toBe(200);
      expect((await writer.get(action.path)).status).toBe(200);
      const lacks = (scope: string) =>
        refusal(403, 'permission_denied', `API key missing required scope '${scope}'`);
      expect(await other.get(action.path)).toEqual(lacks('action:read'));
      expect(await reader.post(path, { name: 'B' })).toEqual(lacks('action:write'));
      expect(await reader.put(action.path, { name: 'B' })).toEqual(lacks('action:write'));
      expect(await reader.patch(action.path, { name: 'B' })).toEqual(lacks('action:write'));
      expect(await reader.delete(action.path)).toEqual(lacks('action:write'));
    });

    it('lets any member write, in @current too (ACT-22, D14)', async () => {
      const member = await api.member(owner);
      const created = await member.post('/api/projects/@current/actions/', { name: 'Mine' });
      expect(created.body).toMatchObject({ team_id: owner.projectId, created_by: { id: member.user.id } });
      expect((await owner.get(path)).body.count).toBe(1);
    });
  });

  describe('soft deletion (section 3)', () => {
    it('is done by PATCH: lists hide it, retrieve and PATCH work on, restoring included (ACT-13)', async () => {
      const action = await create({ name: 'A' });
      const deleted = await owner.patch(action.path, { deleted: true });
      expect(deleted).toMatchObject({ status: 200, body: { id: action.id, deleted: true } });
      expect((await owner.get(path)).body).toMatchObject({ count: 0, results: [] });
      expect((await owner.get(action.path)).body).toEqual(deleted.body);
      expect((await owner.patch(action.path, { description: 'x' })).body).toMatchObject({ deleted: true });
      expect((await owner.patch(action.path, { deleted: false })).body).toMatchObject({ deleted: false });
      expect((await owner.get(path)).body.count).toBe(1);
    });

    it.each([false, true])('refuses DELETE when deleted is %p, and changes nothing (D7)', async (deleted) => {
      const action = await create({ name: 'A', deleted });
      for (const query of ['', '?format=csv']) {
        const answer = await owner.delete(action.path + query);
        const detail = 'Actions are not deleted for good. Send PATCH with `deleted` true instead.';
        expect(answer).toEqual(refusal(405, 'method_not_allowed', detail));
        expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, PATCH');
      }
      expect((await owner.get(action.path)).body).toMatchObject({ name: 'A', deleted });
    });

    it('does not say so before the guards, nor of what is not there', async () => {
      expect(await owner.delete(`${path}999999/`)).toEqual(NOT_FOUND());
      const action = await create({ name: 'A' });
      expect(await (await api.owner()).delete(action.path)).toEqual(NOT_FOUND());
      expect((await api.anyone().delete(action.path)).status).toBe(401);
    });

    it('is not in Allow for other methods either', async () => {
      const action = await create({ name: 'A' });
      const answer = await owner.post(action.path, {});
      expect(answer).toEqual(refusal(405, 'method_not_allowed', 'Method "POST" not allowed.'));
      expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT, PATCH');
    });
  });

  describe('names', () => {
    it('are unique among those that are not deleted, of the project (ACT-06)', async () => {
      const first = await create({ name: 'A' });
      expect(await owner.post(path, { name: ' A ' })).toEqual(nameTaken(first.id));
      const second = await create({ name: 'B' });
      expect(await owner.patch(second.path, { name: 'A' })).toEqual(nameTaken(first.id));
      expect(await owner.put(second.path, { name: 'A' })).toEqual(nameTaken(first.id));
      expect((await owner.get(second.path)).body.name).toBe('B');
      expect((await owner.patch(first.path, { name: 'A' })).status).toBe(200);
      expect((await owner.post(path, { name: 'a' })).status).toBe(201);
      const other = await api.owner();
      expect((await other.post(other.projectPath('actions/'), { name: 'A' })).status).toBe(201);
    });

    it('of deleted ones are free, and may be taken when one is restored', async () => {
      const first = await create({ name: 'A' });
      await owner.patch(first.path, { deleted: true });
      const second = await create({ name: 'A' });
      expect(await owner.patch(first.path, { deleted: false })).toEqual(nameTaken(second.id));
      expect((await owner.get(first.path)).body.deleted).toBe(true);
      expect((await owner.post(path, { name: 'A', deleted: true })).status).toBe(201);
      expect((await owner.patch(first.path, { deleted: false, name: 'A2' })).status).toBe(200);
    });

    it('are given once when 20 ask at once, and the others are told who has it', async () => {
      const body = { name: 'Race' };
      const answers = await Promise.all(Array.from({ length: 20 }, () => owner.post(path, body)));
      expect(statuses(answers)).toEqual({ 201: 1, 400: 19 });
      const winner = answers.find(({ status }) => status === 201)?.body.id;
      for (const answer of answers.filter(({ status }) => status === 400)) {
        expect(answer).toEqual(nameTaken(winner));
      }
      expect((await owner.get(path)).body.count).toBe(1);
    });

    it('are restored, and changed to, once when many ask at once', async () => {
      const actions = await Promise.all(
        Array.from({ length: 10 }, (_, index) => create({ name: `Old ${index}`, deleted: index % 2 === 0 })),
      );
      const answers = await Promise.all(
        actions.map((action) => owner.patch(action.path, { name: 'New', deleted: false })),
      );
      expect(statuses(answers)).toEqual({ 200: 1, 400: 9 });
    });

    it('can be swapped by nobody, and two who try at once do not block each other', async () => {
      for (let round = 0; round < 5; round += 1) {
        const [a, b] = await Promise.all([create({ name: `A${round}` }), create({ name: `B${round}` })]);
        const answers = await Promise.all([
          owner.patch(a.path, { name: `B${round}` }),
          owner.patch(b.path, { name: `A${round}` }),
        ]);
        expect(statuses(answers)).toEqual({ 400: 2 });
      }
    });
  });

  describe('steps', () => {
    it('have exactly ten keys, unknown ones dropped (ACT-02, ACT-05)', async () => {
      const full = {
        event: ' $autocapture ',
        properties: [{ z: 1, key: 'plan', value: ['pro'], nested: { b: 1, a: [null] } }],
        selector: ' a > b ',
        tag_name: ' a ',
        text: ' Go ',
        text_matching: 'regex',
        href: ' /x ',
        href_matching: 'contains',
        url: ' /y ',
        url_matching: 'exact',
      };
      const action = await create({
        name: 'A',
        steps: [{ ...full, isNew: true }, {}, { url_matching: null }],
      });
      expect(action.steps).toEqual([
        { ...full, selector: 'a > b', url: '/y' },
        NO_STEP,
        { ...NO_STEP, url_matching: null },
      ]);
      expect(Object.keys(action.steps[0]).join()).toBe(Object.keys(NO_STEP).join());
      expect(JSON.stringify(action.steps[0].properties)).toBe(JSON.stringify(full.properties));
    });

    it('take conditions with names that mean something to JavaScript', async () => {
      const properties = '[{"constructor": {"prototype": 1}, "toString": 2, "then": null}]';
      const raw = `{"name": "Named", "steps": [{"constructor": 1, "properties": ${properties}}]}`;
      const { status, body } = await owner.post(path, undefined, { raw });
      expect([status, body.steps[0].properties]).toEqual([201, JSON.parse(properties)]);
    });

    it('are replaced as a whole, cleared by [], kept when left out (ACT-09)', async () => {
      const action = await create({ name: 'A', steps: [{ event: 'a' }, { event: 'b' }] });
      expect((await owner.patch(action.path, { name: 'B' })).body.steps).toHaveLength(2);
      expect((await owner.patch(action.path, { steps: [{ event: 'c' }] })).body.steps).toEqual([
        { ...NO_STEP, event: 'c' },
      ]);
      expect((await owner.patch(action.path, { steps: [] })).body.steps).toEqual([]);
    });

    const many = (count: number, item: unknown) => Array.from({ length: count }, () => item);
    it.each([
      ['steps', null, 'null', 'This field may not be null.'],
      ['steps', 'x', 'not_a_list', 'Expected a list of items but got type "str".'],
      ['steps', many(501, {}), 'max_length', 'Ensure this field has no more than 500 elements.'],
      ['steps__1', [{}, 7], 'invalid_input', 'Invalid data. Expected a dictionary, but got int.'],
      ['steps__0__text_matching', [{ text_matching: 'x' }], 'invalid_choice', '"x" is not a valid choice.'],
      ['steps__0__href_matching', [{ href_matching: '' }], 'invalid_choice', '"" is not a valid choice.'],
      ['steps__1__url_matching', [{}, { url_matching: 1 }], 'invalid_choice', '"1" is not a valid choice.'],
      ['steps__0__event', [{ event: '' }], 'blank', 'This field may not be blank.'],
      ['steps__0__url', [{ url: '  ' }], 'blank', 'This field may not be blank.'],
      ['steps__0__selector', [{ selector: 5 }], 'invalid_input', 'Not a valid string.'],
      [
        'steps__0__text',
        [{ text: 'x'.repeat(10_001) }],
        'max_length',
        'Ensure this field has no more than 10000 characters.',
      ],
      [
        'steps__0__tag_name',
        [{ tag_name: 'a\0' }],
        'null_characters_not_allowed',
        'Null characters are not allowed.',
      ],
      [
        'steps__0__properties',
        [{ properties: {} }],
        'not_a_list',
        'Expected a list of items but got type "dict".',
      ],
      [
        'steps__0__properties',
        [{ properties: many(501, {}) }],
        'max_length',
        'Ensure this field has no more than 500 elements.',
      ],
      [
        'steps__0__properties__1',
        [{ properties: [{}, 'x'] }],
        'not_a_dict',
        'Expected a dictionary of items but got type "str".',
      ],
      [
        'steps__0__properties__0',
        [{ properties: [{ key: 'a\0' }] }],
        'null_characters_not_allowed',
        'Null characters are not allowed.',
      ],
    ])('are refused at %s, case %#', async (attr, steps, code, detail) => {
      const action = await create({ name: 'A', steps: [{ event: 'kept' }] });
      expect(await owner.post(path, { name: 'B', steps })).toEqual(refusal(400, code, detail, attr));
      expect(await owner.patch(action.path, { name: 'B', steps })).toEqual(refusal(400, code, detail, attr));
      expect((await owner.get(action.path)).body).toMatchObject({ name: 'A', steps: [{ event: 'kept' }] });
    });
  });

  describe('bytecode_error (D21)', () => {
    it('says which step does not compile, and goes when it does', async () => {
      const steps = [{ event: 'a' }, { url: '(', url_matching: 'regex' }];
      const action = await create({ name: 'A', steps });
      expect(action.bytecode_error).toBe(
        'Step 2: the regular expression of url, "(", does not compile: missing closing ): `(`.',
      );
      expect((await owner.get(path)).body.results[0].steps).toMatchObject(steps);
      expect((await owner.patch(action.path, { name: 'B' })).body.bytecode_error).not.toBeNull();
      const selector = await owner.patch(action.path, { steps: [{ selector: 'a >' }] });
      expect(selector.body.bytecode_error).toBe(
        'Step 1: the selector of selector, "a >", does not compile: it ends where an element was expected.',
      );
      const mended = await owner.patch(action.path, { steps: [{ selector: 'a > b' }] });
      expect(mended.body.bytecode_error).toBeNull();
    });

    it('is found in no time for the worst of steps', async () => {
      const steps = Array.from({ length: 100 }, (_, index) => ({
        text: `(${'x'.repeat(980)}){1000}${index}`,
        text_matching: 'regex',
        href: '('.repeat(5_000),
        href_matching: 'regex',
      }));
      const action = await create({ name: 'A', steps });
      expect(action.bytecode_error).toContain('does not compile');
    });
  });

  describe('other fields', () => {
    it('keeps tags trimmed, once, byte for byte and in order (D21, ACT-15)', async () => {
      const action = await create({ name: 'A', tags: [' b ', 'a', 'b', 'B', 'é', 'e\u0301'] });
      expect(action.tags).toEqual(['b', 'a', 'B', 'é', 'e\u0301']);
      expect((await owner.patch(action.path, { name: 'B' })).body.tags).toEqual(action.tags);
      expect((await owner.patch(action.path, { tags: [] })).body.tags).toEqual([]);
    });

    it('pins at the present time, once, and unpins with null (ACT-11)', async () => {
      const action = await create({ name: 'A', pinned_at: '2020-01-01T00:00:00Z' });
      expect(action.pinned_at).toBe('2020-01-01T00:00:00Z');
      const again = await owner.patch(action.path, { pinned_at: '2021-01-01T00:00:00Z' });
      expect(again.body.pinned_at).toBe('2020-01-01T00:00:00Z');
      expect((await owner.patch(action.path, { pinned_at: null })).body.pinned_at).toBeNull();
      const before = api.clock.now().getTime();
      const pinned = await owner.patch(action.path, { pinned_at: '2021-01-01T00:00:00Z' });
      expect(Date.parse(pinned.body.pinned_at)).toBeGreaterThanOrEqual(before);
    });

    it('keeps the action of a user who is gone', async () => {
      const action = await create({ name: 'A' });
      await api.rows('UPDATE actions SET created_by_id = NULL WHERE id = $1', [action.id]);
      expect((await owner.get(action.path)).body.created_by).toBeNull();
    });

    it.each([
      ['name', undefined, 'required', 'This field is required.'],
      ['name', null, 'null', 'This field may not be null.'],
      ['name', '  ', 'blank', 'This field may not be blank.'],
      ['name', 7, 'invalid_input', 'Not a valid string.'],
      ['name', 'x'.repeat(401), 'max_length', 'Ensure this field has no more than 400 characters.'],
      ['description', null, 'null', 'This field may not be null.'],
      [
        'description',
        'x'.repeat(10_001),
        'max_length',
        'Ensure this field has no more than 10000 characters.',
      ],
      ['slack_message_format', null, 'null', 'This field may not be null.'],
      [
        'slack_message_format',
        'x'.repeat(1201),
        'max_length',
        'Ensure this field has no more than 1200 characters.',
      ],
      ['post_to_slack', 'yes', 'invalid_input', 'Must be a valid boolean.'],
      ['deleted', null, 'null', 'This field may not be null.'],
      ['last_calculated_at', null, 'null', 'This field may not be null.'],
      ['tags', null, 'null', 'This field may not be null.'],
      ['tags', {}, 'not_a_list', 'Expected a list of items but got type "dict".'],
      [
        'tags',
        Array.from({ length: 501 }, (_, index) => `${index}`),
        'max_length',
        'Ensure this field has no more than 500 elements.',
      ],
      ['tags__1', ['a', ' '], 'blank', 'This field may not be blank.'],
      ['tags__0', [1], 'invalid_input', 'Not a valid string.'],
      ['tags__0', ['x'.repeat(201)], 'max_length', 'Ensure this field has no more than 200 characters.'],
    ])('refuses a wrong %s, case %#', async (attr, value, code, detail) => {
      const [field = ''] = attr.split('__');
      const answer = await owner.post(path, { name: 'A', [field]: value });
      expect(answer).toEqual(refusal(400, code, detail, attr));
      expect((await owner.get(path)).body.count).toBe(0);
    });

    it.each(['pinned_at', 'last_calculated_at'])('refuses %s that is no time', async (attr) => {
      const answer = await owner.post(path, { name: 'A', [attr]: 'yesterday' });
      expect(answer).toEqual(
        refusal(400, 'invalid_input', expect.stringContaining('Datetime has wrong format'), attr),
      );
    });

    it('takes texts and lists as long as allowed', async () => {
      const longest = {
        name: '𐀀'.repeat(400),
        description: 'x'.repeat(10_000),
        slack_message_format: 'x'.repeat(1200),
        tags: Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(200, 'é')),
        steps: Array.from({ length: 500 }, () => NO_STEP),
      };
      expect(await create(longest)).toMatchObject(longest);
    });
  });

  describe('of other projects', () => {
    it('are not there, whoever knows their ids (D13)', async () => {
      const action = await create({ name: 'A' });
      const stranger = await api.owner();
      const there = stranger.projectPath(`actions/${action.id}/`);
      for (const place of [action.path, there]) {
        expect(await stranger.get(place)).toEqual(NOT_FOUND());
        expect(await stranger.put(place, { name: 'X' })).toEqual(NOT_FOUND());
        expect(await stranger.patch(place, { name: 'X' })).toEqual(NOT_FOUND());
        expect(await stranger.delete(place)).toEqual(NOT_FOUND());
      }
      expect(await stranger.get(path)).toEqual(NOT_FOUND());
      expect(await stranger.post(path, { name: 'X' })).toEqual(NOT_FOUND());
      expect((await stranger.get(stranger.projectPath('actions/'))).body.count).toBe(0);
      const { path: _, ...unchanged } = action;
      expect((await owner.get(action.path)).body).toEqual(unchanged);
      expect((await owner.get(path)).body.count).toBe(1);
    });

    it.each(['x', '-1', '0', '99999999999', '1.5', '%00'])(
      'have ids, which %s is not (ACT-21)',
      async (id) => {
        expect(await owner.get(`${path}${id}/`)).toEqual(NOT_FOUND());
        expect(await owner.patch(`${path}${id}/`, { name: 'X' })).toEqual(NOT_FOUND());
        expect(await owner.delete(`${path}${id}/`)).toEqual(NOT_FOUND());
      },
    );

    it('go with their project', async () => {
      const action = await create({ name: 'A' });
      await owner.delete(`/api/organizations/${owner.organizationId}/`);
      expect(await api.rows('SELECT id FROM actions WHERE id = $1', [action.id])).toEqual([]);
    });
  });
});
