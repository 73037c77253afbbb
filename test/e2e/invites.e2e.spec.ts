import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const TOO_HIGH = refusal(
  403,
  'permission_denied',
  'You cannot invite a user with a higher permission level than your own.',
);
const ALREADY_MEMBER = 'A user with this email address already belongs to the organization.';
const LINK = /^<(https?:\/\/[^<>]+)\/signup\/([0-9A-Za-z]{38,43})\/>; rel="accept"$/;

describe('Invites', () => {
  let api: TestApi;
  let owner: Person;
  let member: Person;

  beforeAll(async () => {
    api = await TestApi.start();
  });
  afterAll(() => api.stop());

  beforeEach(async () => {
    owner = await api.owner();
    member = await api.member(owner);
  });

  const invite = (body: object, by: Person = owner) => by.post(owner.path('invites/'), body);
  const listed = async () => (await owner.get(owner.path('invites/'))).body;
  const count = async () => (await listed()).count;

  describe('create', () => {
    it('answers every field of an invite (2.6, INV-01)', async () => {
      const answer = await invite({ target_email: 'grace@example.com' });
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        target_email: 'grace@example.com',
        first_name: '',
        emailing_attempt_made: false,
        level: 1,
        is_expired: false,
        created_by: expect.objectContaining({ id: owner.user.id, email: owner.user.email }),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]+(\.\d{6})?Z$/),
        updated_at: answer.body.created_at,
        message: null,
        private_project_access: [],
      });
      expect(await listed()).toEqual({ count: 1, next: null, previous: null, results: [answer.body] });
    });

    it('keeps what is given, and ignores what is not writable (D4)', async () => {
      const answer = await invite({
        target_email: 'Grace.Hopper@EXAMPLE.com',
        first_name: 'Grace',
        level: 8,
        message: 'Welcome!\n',
        private_project_access: [{ id: owner.projectId, level: 8, more: 1 }],
        send_email: false,
        id: 'mine',
        is_expired: true,
        emailing_attempt_made: true,
        created_by: 7,
      });
      expect(answer.body).toMatchObject({
        target_email: 'Grace.Hopper@example.com',
        first_name: 'Grace',
        level: 8,
        message: 'Welcome!\n',
        private_project_access: [{ id: owner.projectId, level: 8 }],
        is_expired: false,
        emailing_attempt_made: false,
      });
      expect(Object.keys(answer.body)).not.toContain('send_email');
    });

    it('hands out the secret in the Link header alone, and keeps its hash alone (D23)', async () => {
      const answer = await invite({ target_email: 'grace@example.com' });
      const [, base, secret = ''] = LINK.exec(answer.headers.get('link') ?? '') ?? [];
      expect(base).toBe(api.url);
      expect(answer.text).not.toContain(secret);
      const list = await owner.get(owner.path('invites/'));
      expect(list.text).not.toContain(secret);
      expect(list.headers.get('link')).toBeNull();
      const [row] = await api.rows<{ stored: string; hashed: boolean }>(
        `SELECT i::text AS stored, secret_hash = sha256($2::text::bytea) AS hashed
           FROM organization_invites i WHERE organization_id = $1`,
        [owner.organizationId, secret],
      );
      expect(row?.hashed).toBe(true);
      expect(row?.stored).not.toContain(secret);
      const again = await invite({ target_email: 'grace@example.com' });
      expect(again.headers.get('link')).not.toContain(secret);
    });

    it('checks every field', async () => {
      const target_email = 'grace@example.com';
      const cases: [object, string, string][] = [
        [{}, 'target_email', 'required'],
        [{ target_email: null }, 'target_email', 'null'],
        [{ target_email: '' }, 'target_email', 'blank'],
        [{ target_email: 'nobody' }, 'target_email', 'invalid_input'],
        [{ target_email: 'a@b@example.com' }, 'target_email', 'invalid_input'],
        [{ target_email: 7 }, 'target_email', 'invalid_input'],
        [{ target_email: `${'a'.repeat(250)}@example.com` }, 'target_email', 'max_length'],
        [{ target_email, first_name: 'x'.repeat(31) }, 'first_name', 'max_length'],
        [{ target_email, first_name: null }, 'first_name', 'null'],
        [{ target_email, first_name: 'a\0' }, 'first_name', 'null_characters_not_allowed'],
        [{ target_email, level: 2 }, 'level', 'invalid_choice'],
        [{ target_email, level: '8' }, 'level', 'invalid_choice'],
        [{ target_email, level: null }, 'level', 'null'],
        [{ target_email, message: 5 }, 'message', 'invalid_input'],
        [{ target_email, message: '\ud800' }, 'message', 'surrogate_characters_not_allowed'],
        [{ target_email, message: 'x'.repeat(10_001) }, 'message', 'max_length'],
        [{ target_email, send_email: 'yes' }, 'send_email', 'invalid_input'],
        [{ target_email, send_email: null }, 'send_email', 'null'],
        [{ target_email, combine_pending_invites: 1 }, 'combine_pending_invites', 'invalid_input'],
        [
          { target_email, private_project_access: Array(10_000).fill({ id: 1, level: 1 }) },
          'private_project_access',
          'max_length',
        ],
      ];
      for (const [body, attr, code] of cases) {
        expect(await invite(body)).toEqual(refusal(400, code, expect.any(String), attr));
      }
      expect(await count()).toBe(0);
    });

    it('refuses an address that is too long in lower case, in which letters can become two', async () => {
      const target_email = `${'a'.repeat(60)}@${`${'\u0130'.repeat(30)}.`.repeat(4)}com`;
      expect(target_email.length).toBeLessThan(254);
      expect(await invite({ target_email })).toEqual(
        refusal(400, 'max_length', 'Ensure this field has no more than 254 characters.', 'target_email'),
      );
    });

    it('invites up to one’s own level (INV-09)', async () => {
      const admin = await api.member(owner, Level.Admin);
      expect(await invite({ target_email: 'a@example.com', level: 8 }, member)).toEqual(TOO_HIGH);
      expect(await invite({ target_email: 'a@example.com', level: 15 }, admin)).toEqual(TOO_HIGH);
      expect(await count()).toBe(0);
      expect((await invite({ target_email: 'a@example.com' }, member)).status).toBe(201);
      expect((await invite({ target_email: 'b@example.com', level: 1 }, member)).status).toBe(201);
      expect((await invite({ target_email: 'c@example.com', level: 8 }, admin)).status).toBe(201);
      expect((await invite({ target_email: 'd@example.com', level: 15 })).status).toBe(201);
    });

    it('refuses the address of a member, whatever its case (INV-07)', async () => {
      for (const target_email of [member.user.email, member.user.email.toUpperCase()]) {
        expect(await invite({ target_email })).toEqual(refusal(400, 'invalid_input', ALREADY_MEMBER));
      }
      const stranger = await api.owner();
      expect((await invite({ target_email: stranger.user.email })).status).toBe(201);
      expect(await count()).toBe(1);
    });

    it('replaces the invite to the same address in this organization (INV-08)', async () => {
      const elsewhere = await api.owner();
      await elsewhere.post(elsewhere.path('invites/'), { target_email: 'grace@example.com' });
      const first = await invite({ target_email: 'grace@example.com', level: 15, first_name: 'Grace' });
      const second = await invite({ target_email: 'GRACE@example.com' });
      expect((await listed()).results).toEqual([second.body]);
      expect(second.body).toMatchObject({ level: 1, first_name: '' });
      expect(second.body.id).not.toBe(first.body.id);
      expect((await elsewhere.get(elsewhere.path('invites/'))).body.count).toBe(1);
    });

    it('leaves one invite when 20 are made at once (INV-08)', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          invite({ target_email: index % 2 ? 'grace@example.com' : 'GRACE@example.com' }),
        ),
      );
      expect(statuses(answers)).toEqual({ 201: 20 });
      expect(await count()).toBe(1);
    });

    it('is refused to whoever was removed or demoted meanwhile', async () => {
      const admin = await api.member(owner, Level.Admin);
      const answers = await Promise.all([
        owner.delete(owner.path(`members/${member.user.uuid}/`)),
        owner.patch(owner.path(`members/${admin.user.uuid}/`), { level: 1 }),
        ...Array.from({ length: 8 }, (_, index) =>
          index % 2
            ? invite({ target_email: `m${index}@example.com` }, member)
            : invite({ target_email: `a${index}@example.com`, level: 8 }, admin),
        ),
      ]);
      for (const { status } of answers) expect([200, 201, 204, 403, 404]).toContain(status);
      expect(await invite({ target_email: 'm@example.com' }, member)).toEqual(NOT_FOUND());
      expect(await invite({ target_email: 'a@example.com', level: 8 }, admin)).toEqual(TOO_HIGH);
    });
  });

  describe('combine_pending_invites (INV-11)', () => {
    const combined = (body: object, by: Person = owner) =>
      invite({ target_email: 'grace@example.com', combine_pending_invites: true, ...body }, by);

    it('takes the highest level and the union of project access', async () => {
      const [first, second] = [owner.projectId, await secondProject()];
      await invite({
        target_email: 'Grace@example.com',
        level: 8,
        private_project_access: [
          { id: first, level: 8 },
          { id: second, level: 1 },
        ],
      });
      const answer = await combined({ private_project_access: [{ id: second, level: 8 }] });
      expect(answer.body.level).toBe(8);
      expect(answer.body.private_project_access).toHaveLength(2);
      expect(answer.body.private_project_access).toEqual(
        expect.arrayContaining([
          { id: first, level: 8 },
          { id: second, level: 8 },
        ]),
      );
      expect((await listed()).results).toEqual([answer.body]);
      expect(Object.keys(answer.body)).not.toContain('combine_pending_invites');
    });

    it('does not count expired ones', async () => {
      await invite({ target_email: 'grace@example.com', level: 15 });
      api.clock.advance({ days: 3, seconds: 1 });
      expect((await combined({})).body.level).toBe(1);
      expect(await count()).toBe(1);
    });

    it('does not hand a higher level to who may not give it (D18)', async () => {
      const first = await invite({ target_email: 'grace@example.com', level: 15 });
      const answer = await combined({}, member);
      expect(answer).toEqual(TOO_HIGH);
      expect(answer.headers.get('link')).toBeNull();
      expect((await listed()).results).toEqual([first.body]);
    });

    async function secondProject(): Promise<number> {
      const [row] = await api.rows<{ id: number }>(
        `INSERT INTO projects (uuid, organization_id, api_token, name, timezone, created_at, updated_at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'Other', 'UTC', now(), now()) RETURNING id`,
        [owner.organizationId],
      );
      return row?.id ?? 0;
    }
  });

  describe('private_project_access', () => {
    const access = (private_project_access: unknown) =>
      invite({ target_email: 'grace@example.com', private_project_access });
    const bad = (detail: string) => refusal(400, 'invalid_input', detail, 'private_project_access');

    it('has one shape (INV-12)', async () => {
      const id = owner.projectId;
      const notAList = bad('The field must be a list of dictionaries.');
      for (const value of ['1', 1, { id, level: 1 }, true]) expect(await access(value)).toEqual(notAList);
      for (const item of [1, null, [id, 1], 'x']) {
        expect(await access([{ id, level: 1 }, item])).toEqual(
          bad('Each item in the list must be a dictionary.'),
        );
      }
      for (const item of [{ id }, { level: 1 }, {}]) {
        expect(await access([item])).toEqual(bad('Each dictionary must contain "id" and "level" keys.'));
      }
      for (const wrong of ['1', 1.5, null, true, [1], 1e30]) {
        expect(await access([{ id: wrong, level: 1 }])).toEqual(bad('The "id" field must be an integer.'));
      }
      for (const level of [0, 15, '1', 'owner', null, [8]]) {
        expect(await access([{ id, level }])).toEqual(
          bad('The "level" field must be either "member" or "admin".'),
        );
      }
      expect(await count()).toBe(0);
    });

    it('names projects of the organization alone (INV-13)', async () => {
      const stranger = await api.owner();
      const unknown = bad(
        'Project does not exist on this organization, or it is private and you do not have access to it.',
      );
      for (const id of [stranger.projectId, 0, -1, 999_999, 2 ** 31, 2 ** 53 - 1]) {
        expect(
          await access([
            { id: owner.projectId, level: 1 },
            { id, level: 1 },
          ]),
        ).toEqual(unknown);
      }
      expect(await count()).toBe(0);
    });

    it('is a list, also when nothing or null is given (INV-16)', async () => {
      for (const value of [null, [], undefined]) {
        expect((await access(value)).body.private_project_access).toEqual([]);
      }
      const twice = await access([
        { id: owner.projectId, level: 8 },
        { id: owner.projectId, level: 1 },
      ]);
      expect(twice.body.private_project_access).toEqual([{ id: owner.projectId, level: 8 }]);
    });
  });

  describe('list', () => {
    it('shows the newest first, page by page, expired ones too (INV-17)', async () => {
      await invite({ target_email: 'old@example.com' });
      api.clock.advance({ days: 2 });
      await invite({ target_email: 'new@example.com' });
      const states = async () =>
        (await owner.get(owner.path('invites/'))).body.results.map(
          (item: { target_email: string; is_expired: boolean }) => [item.target_email, item.is_expired],
        );
      expect(await states()).toEqual([
        ['new@example.com', false],
        ['old@example.com', false],
      ]);
      api.clock.advance({ days: 1, seconds: 1 });
      expect(await states()).toEqual([
        ['new@example.com', false],
        ['old@example.com', true],
      ]);
      const page = (await member.get(owner.path('invites/?limit=1'))).body;
      expect(page).toMatchObject({ count: 2, previous: null });
      expect((await member.get(page.next.replace(api.url, ''))).body.results[0].target_email).toBe(
        'old@example.com',
      );
    });
  });

  describe('bulk', () => {
    const people = (number: number) =>
      Array.from({ length: number }, (_, index) => ({ target_email: `p${index}@example.com` }));
    const bulk = (body: unknown, by: Person = owner) => by.preferring.post(owner.path('invites/bulk/'), body);

    it('answers no body, and a link for each invite in order (D1, D23)', async () => {
      const answer = await owner.post(owner.path('invites/bulk/'), people(7));
      expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([200, '', null]);
      expect(answer.headers.get('content-length')).toBe('0');
      const links = (answer.headers.get('link') ?? '').split(', ');
      expect(links).toHaveLength(7);
      for (const [index, link] of links.entries()) {
        const [, , secret] = LINK.exec(link) ?? [];
        const offer = await api.anyone().get(`/api/signup/${secret}/`);
        expect(offer.body.target_email).toBe(`p${index}@example.com`);
      }
      expect(await count()).toBe(7);
    });

    it('answers the invites in order when that is preferred (INV-19)', async () => {
      const answer = await bulk(people(3));
      expect(answer.headers.get('preference-applied')).toBe('return=representation');
      expect(answer.body.map((item: { target_email: string }) => item.target_email)).toEqual(
        people(3).map(({ target_email }) => target_email),
      );
      const inList = (await listed()).results;
      expect(inList).toHaveLength(3);
      expect(inList).toEqual(expect.arrayContaining(answer.body));
    });

    it('takes one invite that comes without a list (D18)', async () => {
      const answer = await bulk({ target_email: 'grace@example.com' });
      expect(answer.body).toEqual((await listed()).results);
      expect(answer.headers.get('link')).toMatch(LINK);
      expect(await bulk({ target_email: 'x' })).toEqual(
        refusal(400, 'invalid_input', 'Enter a valid email address.', 'target_email'),
      );
      expect(await bulk({ target_email: member.user.email })).toEqual(
        refusal(400, 'invalid_input', ALREADY_MEMBER),
      );
      expect((await bulk(undefined)).body).toMatchObject({ code: 'required', attr: 'target_email' });
    });

    it('takes 1 to 20 (INV-20)', async () => {
      expect(await bulk([])).toEqual(refusal(400, 'empty', 'This list may not be empty.'));
      expect(await bulk(people(21))).toEqual(
        refusal(400, 'max_length', 'A maximum of 20 invites can be sent in a single request.'),
      );
      expect(await count()).toBe(0);
      expect((await bulk(people(20))).status).toBe(200);
      expect(await count()).toBe(20);
    });

    it('is all or nothing, and names the invite to blame (INV-21, D8)', async () => {
      const kept = await invite({ target_email: 'p0@example.com', level: 8 });
      const admin = await api.member(owner, Level.Admin);
      const cases: [unknown, unknown][] = [
        [{ target_email: 'x' }, refusal(400, 'invalid_input', expect.any(String), '3__target_email')],
        [{}, refusal(400, 'required', 'This field is required.', '3__target_email')],
        ['x', refusal(400, 'invalid_input', 'Invalid data. Expected a dictionary, but got str.', '3')],
        [null, refusal(400, 'invalid_input', 'Invalid data. Expected a dictionary, but got null.', '3')],
        [
          { target_email: 'q@example.com', level: 3 },
          refusal(400, 'invalid_choice', expect.any(String), '3__level'),
        ],
        [{ target_email: member.user.email }, refusal(400, 'invalid_input', ALREADY_MEMBER, '3')],
        [
          { target_email: 'q@example.com', private_project_access: [{ id: 999_999, level: 1 }] },
          refusal(400, 'invalid_input', expect.any(String), '3__private_project_access'),
        ],
        [
          { target_email: 'P1@example.com' },
          refusal(
            400,
            'invalid_input',
            'This email address is in the request more than once.',
            '3__target_email',
          ),
        ],
        [{ target_email: 'q@example.com', level: 15 }, TOO_HIGH],
      ];
      for (const [last, expected] of cases) {
        const answer = await bulk([...people(3), last], admin);
        expect(answer).toEqual(expected);
        expect(answer.headers.get('link')).toBeNull();
        // The invite that the first of the list would have replaced is still there.
        expect((await listed()).results).toEqual([kept.body]);
      }
    });

    it('makes one invite an address when lists come at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => bulk(index % 2 ? people(5) : people(5).reverse())),
      );
      expect(statuses(answers)).toEqual({ 200: 10 });
      expect(await count()).toBe(5);
    });
  });

  describe('delete', () => {
    it('is for every member (INV-18)', async () => {
      const { body, headers } = await invite({ target_email: 'grace@example.com', level: 15 });
      const path = owner.path(`invites/${body.id}/`);
      const answer = await member.delete(path);
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(await count()).toBe(0);
      expect(await member.delete(path)).toEqual(NOT_FOUND());
      const [, , secret] = LINK.exec(headers.get('link') ?? '') ?? [];
      expect((await api.anyone().get(`/api/signup/${secret}/`)).status).toBe(400);
    });

    it('happens once when asked many times at once', async () => {
      const { body } = await invite({ target_email: 'grace@example.com' });
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => owner.delete(owner.path(`invites/${body.id}/`))),
      );
      expect(statuses(answers)).toEqual({ 204: 1, 404: 4 });
    });

    it('goes with the organization (D22)', async () => {
      await invite({ target_email: 'grace@example.com' });
      await owner.delete(`/api/organizations/${owner.organizationId}/`);
      expect(
        await api.rows('SELECT FROM organization_invites WHERE organization_id = $1', [owner.organizationId]),
      ).toEqual([]);
    });
  });

  describe('out of reach', () => {
    it('is the organization of others, whether it exists or not (D13)', async () => {
      const stranger = await api.owner();
      const { body } = await invite({ target_email: 'grace@example.com' });
      const nowhere = '/api/organizations/0195b1f4-7c1c-7000-8000-0123456789ab/invites/';
      for (const base of [owner.path('invites/'), nowhere]) {
        expect(await stranger.get(base)).toEqual(NOT_FOUND());
        expect(await stranger.post(base, { target_email: 'b@example.com' })).toEqual(NOT_FOUND());
        expect(await stranger.post(base, {})).toEqual(NOT_FOUND());
        expect(await stranger.post(`${base}bulk/`, [{ target_email: 'b@example.com' }])).toEqual(NOT_FOUND());
        expect(await stranger.delete(`${base}${body.id}/`)).toEqual(NOT_FOUND());
      }
      expect(await stranger.delete(stranger.path(`invites/${body.id}/`))).toEqual(NOT_FOUND());
      expect((await listed()).results).toEqual([body]);
    });

    it('is an id that names nothing', async () => {
      for (const id of ['0195b1f4-7c1c-7000-8000-0123456789ab', 'x', '1', '-1', 'bulk', '%00', '@me']) {
        expect(await owner.delete(owner.path(`invites/${id}/`))).toEqual(NOT_FOUND());
      }
    });

    it('is one invite to read or change (INV-18)', async () => {
      const { body } = await invite({ target_email: 'grace@example.com' });
      for (const method of ['GET', 'PUT', 'PATCH', 'POST']) {
        const answer = await owner.request(method, owner.path(`invites/${body.id}/`));
        expect(answer).toEqual(refusal(405, 'method_not_allowed', `Method "${method}" not allowed.`));
        expect(answer.headers.get('allow')).toBe('DELETE');
      }
    });

    it('needs the scopes of members, also to create (INV-27)', async () => {
      const reader = await api.as(owner, { scopes: ['organization_member:read', 'organization:write'] });
      const missing = refusal(
        403,
        'permission_denied',
        "API key missing required scope 'organization_member:write'",
      );
      expect((await reader.get(owner.path('invites/'))).status).toBe(200);
      expect(await invite({}, reader)).toEqual(missing);
      expect(await reader.post(owner.path('invites/bulk/'), [])).toEqual(missing);
      expect(await reader.delete(owner.path('invites/x/'))).toEqual(missing);
      const writer = await api.as(owner, { scopes: ['organization_member:write'] });
      expect((await invite({ target_email: 'b@example.com' }, writer)).status).toBe(201);
      expect((await api.anyone().post(owner.path('invites/'), {})).status).toBe(401);
    });
  });
});

describe('Invites under a PUBLIC_URL', () => {
  it('are accepted there (D23)', async () => {
    const api = await TestApi.start({ PUBLIC_URL: 'https://hedgerow.example.com/app/' });
    try {
      const owner = await api.owner();
      const answer = await owner.post(owner.path('invites/'), { target_email: 'grace@example.com' });
      expect(LINK.exec(answer.headers.get('link') ?? '')?.[1]).toBe('https://hedgerow.example.com/app');
    } finally {
      await api.stop();
    }
  });
});
