import { DnsTxtResolver } from '../../src/organization/dns/dns-txt-resolver';
import { TxtResolver } from '../../src/organization/domain/txt-resolver';
import { Level } from '../../src/shared/domain/level';
import { type Person, TestApi } from '../support/api';
import { CERTIFICATE } from '../support/certificate';
import { DnsServer } from '../support/dns-server';
import { NOT_FOUND, refusal, statuses } from '../support/matchers';

const NOBODY = '0195b1f4-7c1c-7000-8000-0123456789ab';
const SAML = {
  saml_entity_id: 'https://idp.example.com/metadata',
  saml_acs_url: 'https://idp.example.com/sso',
  saml_x509_cert: CERTIFICATE,
};
const ALREADY_VERIFIED = refusal(400, 'already_verified', 'This domain has already been verified.');
const TAKEN = refusal(400, 'unique', 'domain with this domain already exists.', 'domain');
const LEVEL_TOO_LOW = refusal(403, 'permission_denied', 'Your organization access level is insufficient.');
const unverified = (attr: string) =>
  refusal(
    400,
    'verification_required',
    'This attribute cannot be updated until the domain is verified.',
    attr,
  );

interface Domain {
  readonly id: string;
  readonly domain: string;
  readonly verification_challenge: string;
}

describe('Domains', () => {
  let api: TestApi;
  let dns: DnsServer;
  let owner: Person;
  let count = 0;

  beforeAll(async () => {
    dns = await DnsServer.start();
    api = await TestApi.start({ DNS_SERVERS: dns.address });
    owner = await api.owner();
  });
  afterAll(async () => {
    await api?.stop();
    await dns?.stop();
  });

  const newName = () => {
    count += 1;
    return `domain-${count}.example.com`;
  };

  async function claim(body: object = {}, by = owner): Promise<Domain> {
    const answer = await by.post(by.path('domains/'), { domain: newName(), ...body });
    expect(answer.status).toBe(201);
    return answer.body;
  }

  async function claimVerified(body: object = {}, by = owner): Promise<Domain> {
    const domain = await claim(body, by);
    dns.set(`_posthog-challenge.${domain.domain}`, [[domain.verification_challenge]]);
    const answer = await by.preferring.post(by.path(`domains/${domain.id}/verify/`));
    expect(answer.body.is_verified).toBe(true);
    return answer.body;
  }

  const at = ({ id }: Domain, rest = '') => owner.path(`domains/${id}/${rest}`);
  const read = async (domain: Domain) => (await owner.get(at(domain))).body;

  it('has the fields of 2.4, with their types', async () => {
    const fresh = await claim({ domain: 'fields.example.com' });
    expect(fresh).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/),
      domain: 'fields.example.com',
      is_verified: false,
      verified_at: null,
      verification_challenge: expect.stringMatching(/^[\w-]{43}$/),
      jit_provisioning_enabled: false,
      sso_enforcement: '',
      has_saml: false,
      saml_entity_id: null,
      saml_acs_url: null,
      saml_x509_cert: null,
    });
    expect(Object.keys(fresh)).toEqual([
      ...['id', 'domain', 'is_verified', 'verified_at', 'verification_challenge'],
      ...['jit_provisioning_enabled', 'sso_enforcement', 'has_saml'],
      ...['saml_entity_id', 'saml_acs_url', 'saml_x509_cert'],
    ]);
    const verified = await claimVerified(SAML);
    expect(verified).toEqual({
      ...verified,
      ...SAML,
      is_verified: true,
      verified_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/),
      has_saml: true,
    });
    expect(await read(verified)).toEqual(verified);
  });

  it('creates, lists, retrieves, changes, replaces and deletes one', async () => {
    const admin = await api.owner();
    const domain = await claim({ domain: 'b.example.com' }, admin);
    const path = admin.path(`domains/${domain.id}/`);
    expect((await admin.get(path)).body).toEqual(domain);
    const first = await claim({ domain: 'a.example.com' }, admin);
    const last = await claim({ domain: 'b-c.example.com' }, admin);
    expect((await admin.get(admin.path('domains/'))).body).toEqual({
      count: 3,
      next: null,
      previous: null,
      results: [first, last, domain],
    });
    expect((await admin.get(admin.path('domains/?limit=1&offset=1'))).body.results).toEqual([last]);
    const changed = await admin.patch(path, { saml_entity_id: 'id' });
    expect([changed.status, changed.body]).toEqual([200, { ...domain, saml_entity_id: 'id' }]);
    const replaced = await admin.put(path, { domain: 'b.example.com', saml_acs_url: SAML.saml_acs_url });
    expect([replaced.status, replaced.body]).toEqual([
      200,
      { ...domain, saml_entity_id: 'id', saml_acs_url: SAML.saml_acs_url },
    ]);
    expect(await admin.put(path, {})).toEqual(refusal(400, 'required', 'This field is required.', 'domain'));
    expect(await admin.patch(path, {})).toEqual(
      expect.objectContaining({ status: 200, body: replaced.body }),
    );
    const deleted = await admin.delete(path);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect(await admin.get(path)).toEqual(NOT_FOUND());
    expect(await admin.delete(path)).toEqual(NOT_FOUND());
    expect((await admin.get(admin.path('domains/'))).body.count).toBe(2);
    expect((await admin.post(admin.path('domains/'), { domain: 'b.example.com' })).status).toBe(201);
  });

  it('ignores on create what a domain gets by being verified, and read-only fields always (DOM-04, DOM-14)', async () => {
    const readOnly = {
      id: NOBODY,
      is_verified: true,
      verified_at: '2025-01-01T00:00:00Z',
      verification_challenge: 'mine',
      has_saml: true,
      organization_id: NOBODY,
    };
    const domain = await claim({ ...readOnly, jit_provisioning_enabled: true, sso_enforcement: 'saml' });
    expect(domain).toMatchObject({
      is_verified: false,
      verified_at: null,
      verification_challenge: expect.stringMatching(/^[\w-]{43}$/),
      jit_provisioning_enabled: false,
      sso_enforcement: '',
      has_saml: false,
    });
    expect(domain.id).not.toBe(NOBODY);
    const changed = await owner.patch(at(domain), readOnly);
    expect([changed.status, changed.body]).toEqual([200, domain]);
  });

  it('names the first field that is wrong (DOM-06, DOM-08)', async () => {
    const domain = await claim();
    const long = (length: number) => 'a'.repeat(length);
    const invalid = (detail: string) => ['invalid_input', detail] as const;
    const tooLong = (max: number) =>
      ['max_length', `Ensure this field has no more than ${max} characters.`] as const;
    const notNull = ['null', 'This field may not be null.'] as const;
    const notText = invalid('Not a valid string.');
    const noName = invalid('Please enter a valid domain or subdomain name.');
    const noUrl = invalid('Enter a valid http or https URL.');
    const noCertificate = invalid('Enter a valid X.509 certificate, without its private key.');
    const noNul = ['null_characters_not_allowed', 'Null characters are not allowed.'] as const;
    const wrong: [string, unknown, readonly [string, string]][] = [
      ['domain', null, notNull],
      ['domain', '', ['blank', 'This field may not be blank.']],
      ['domain', '  ', ['blank', 'This field may not be blank.']],
      ['domain', 7, notText],
      ['domain', 'test@posthog.com', noName],
      ['domain', '💩.com', noName],
      ['domain', 'one.two.c', noName],
      ['domain', '--alpha.com', noName],
      ['domain', 'javascript: alert(1)', noName],
      ['domain', 'Example.com', noName],
      ['domain', `a.${long(127)}`, tooLong(128)],
      ['domain', 'a\0.com', noNul],
      ['jit_provisioning_enabled', null, notNull],
      ['jit_provisioning_enabled', 'true', invalid('Must be a valid boolean.')],
      ['sso_enforcement', null, notNull],
      ['sso_enforcement', 'okta', ['invalid_choice', '"okta" is not a valid choice.']],
      ['sso_enforcement', 1, ['invalid_choice', '"1" is not a valid choice.']],
      ['saml_entity_id', ['x'], notText],
      ['saml_entity_id', long(513), tooLong(512)],
      ['saml_entity_id', 'a\0', noNul],
      ['saml_acs_url', 5, notText],
      ['saml_acs_url', `https://${long(505)}`, tooLong(512)],
      ['saml_acs_url', 'javascript:alert(1)', noUrl],
      ['saml_acs_url', 'idp.example.com', noUrl],
      ['saml_x509_cert', {}, notText],
      ['saml_x509_cert', long(20_001), tooLong(20_000)],
      ['saml_x509_cert', 'no certificate', noCertificate],
      ['saml_x509_cert', CERTIFICATE.replaceAll('CERTIFICATE', 'PRIVATE KEY'), noCertificate],
    ];
    for (const [field, value, [code, detail]] of wrong) {
      const expected = refusal(400, code, detail, field);
      expect(await owner.patch(at(domain), { [field]: value })).toEqual(expected);
      expect(await owner.post(owner.path('domains/'), { domain: newName(), [field]: value })).toEqual(
        expected,
      );
    }
    expect(await owner.post(owner.path('domains/'), {})).toEqual(
      refusal(400, 'required', 'This field is required.', 'domain'),
    );
    expect(await owner.patch(at(domain), { saml_x509_cert: 'x', sso_enforcement: 'x', domain: 'x' })).toEqual(
      refusal(400, noName[0], noName[1], 'domain'),
    );
    expect(await read(domain)).toEqual(domain);
  });

  it('takes what is just short enough, nothing at all, and null (DOM-08)', async () => {
    const name = `${'a'.repeat(60)}.${'b'.repeat(60)}.museum`.slice(0, 128);
    const entity = 'é'.repeat(512);
    const url = `https://idp.example.com/${'a'.repeat(488)}`;
    const domain = await claim({ domain: name, saml_entity_id: entity, saml_acs_url: url });
    expect(domain).toMatchObject({
      domain: name,
      saml_entity_id: entity,
      saml_acs_url: url,
      has_saml: false,
    });
    const padded = CERTIFICATE + '\n'.repeat(20_000 - CERTIFICATE.length);
    expect((await owner.patch(at(domain), { saml_x509_cert: padded })).body).toMatchObject({
      saml_x509_cert: padded,
      has_saml: true,
    });
    for (const nothing of ['', null]) {
      const empty = { saml_entity_id: nothing, saml_acs_url: nothing, saml_x509_cert: nothing };
      expect((await owner.patch(at(domain), empty)).body).toMatchObject({ ...empty, has_saml: false });
    }
    expect((await claim({ domain: '  trimmed.example.com ' })).domain).toBe('trimmed.example.com');
  });

  it('has SAML when all three fields are set, verified or not (DOM-09)', async () => {
    for (const field of Object.keys(SAML)) {
      const domain = await claim({ ...SAML, [field]: undefined });
      expect(domain).toMatchObject({ has_saml: false, [field]: null });
      const value = SAML[field as keyof typeof SAML];
      expect((await owner.patch(at(domain), { [field]: value })).body.has_saml).toBe(true);
      expect((await owner.patch(at(domain), { [field]: '' })).body.has_saml).toBe(false);
    }
  });

  describe('uniqueness (DOM-07)', () => {
    it('holds across all organizations, on create and on change', async () => {
      const other = await api.owner();
      const domain = await claim();
      const theirs = await claim({}, other);
      expect(await other.post(other.path('domains/'), { domain: domain.domain })).toEqual(TAKEN);
      expect(await owner.post(owner.path('domains/'), { domain: domain.domain })).toEqual(TAKEN);
      const path = other.path(`domains/${theirs.id}/`);
      expect(await other.patch(path, { domain: domain.domain, saml_entity_id: 'x' })).toEqual(TAKEN);
      expect(await other.put(path, { domain: domain.domain })).toEqual(TAKEN);
      expect((await other.get(path)).body).toEqual(theirs);
    });

    it('lets one of 20 claims at once through', async () => {
      const other = await api.owner();
      const name = newName();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const by = index % 2 === 0 ? owner : other;
          return by.post(by.path('domains/'), { domain: name });
        }),
      );
      expect(statuses(answers)).toEqual({ 201: 1, 400: 19 });
      for (const answer of answers) if (answer.status === 400) expect(answer).toEqual(TAKEN);
      expect(await api.rows('SELECT FROM organization_domains WHERE domain = $1', [name])).toHaveLength(1);
    });

    it('lets one of 20 changes at once through', async () => {
      const domains: Domain[] = [];
      for (let index = 0; index < 20; index += 1) domains.push(await claim());
      const name = newName();
      const answers = await Promise.all(domains.map((domain) => owner.patch(at(domain), { domain: name })));
      expect(statuses(answers)).toEqual({ 200: 1, 400: 19 });
    });
  });

  describe('access', () => {
    it('lets members read and administrators change (DOM-02)', async () => {
      const member = await api.member(owner);
      const admin = await api.member(owner, Level.Admin);
      const domain = await claim();
      expect((await member.get(at(domain))).body).toEqual(domain);
      expect((await member.get(owner.path('domains/'))).status).toBe(200);
      const asked = dns.asked.length;
      for (const refused of [
        await member.post(owner.path('domains/'), { domain: newName() }),
        await member.patch(at(domain), { saml_entity_id: 'x' }),
        await member.put(at(domain), { domain: newName() }),
        await member.delete(at(domain)),
        await member.post(at(domain, 'verify/')),
      ]) {
        expect(refused).toEqual(LEVEL_TOO_LOW);
      }
      expect(dns.asked.length).toBe(asked);
      expect(await read(domain)).toEqual(domain);
      expect((await admin.post(owner.path('domains/'), { domain: newName() })).status).toBe(201);
      expect((await admin.patch(at(domain), { saml_entity_id: 'x' })).status).toBe(200);
      expect((await admin.put(at(domain), { domain: domain.domain })).status).toBe(200);
      expect((await admin.post(at(domain, 'verify/'))).status).toBe(200);
      expect((await admin.delete(at(domain))).status).toBe(204);
    });

    it('needs organization:read to read and organization:write to change and to verify (D10)', async () => {
      const reader = await api.as(owner, { scopes: ['organization:read'] });
      const writer = await api.as(owner, { scopes: ['organization:write'] });
      const outOfScope = refusal(
        403,
        'permission_denied',
        "API key missing required scope 'organization:write'",
      );
      const domain = await claim();
      for (const caller of [reader, writer]) {
        expect((await caller.get(at(domain))).status).toBe(200);
        expect((await caller.get(owner.path('domains/'))).status).toBe(200);
      }
      for (const [method, path, body] of [
        ['POST', owner.path('domains/'), { domain: newName() }],
        ['PATCH', at(domain), {}],
        ['PUT', at(domain), { domain: domain.domain }],
        ['POST', at(domain, 'verify/'), undefined],
        ['DELETE', at(domain), undefined],
      ] as const) {
        expect(await reader.request(method, path, { body })).toEqual(outOfScope);
        expect((await writer.request(method, path, { body })).status).toBeLessThan(300);
      }
    });

    it('finds no domain outside of its organization (DOM-03)', async () => {
      const stranger = await api.owner();
      const mine = await claim();
      const theirs = await claim({}, stranger);
      const both = [
        [owner, owner.path(`domains/${theirs.id}/`)],
        [owner, owner.path(`domains/${NOBODY}/`)],
        [owner, owner.path('domains/1/')],
        [owner, owner.path(`domains/${mine.id}%20/`)],
        [owner, stranger.path(`domains/${theirs.id}/`)],
        [owner, `/api/organizations/${NOBODY}/domains/${mine.id}/`],
      ] as const;
      for (const [caller, path] of both) {
        expect(await caller.get(path)).toEqual(NOT_FOUND());
        expect(await caller.patch(path, { domain: newName() })).toEqual(NOT_FOUND());
        expect(await caller.put(path, { domain: newName() })).toEqual(NOT_FOUND());
        expect(await caller.post(`${path}verify/`)).toEqual(NOT_FOUND());
        expect(await caller.delete(path)).toEqual(NOT_FOUND());
      }
      expect(await owner.get(stranger.path('domains/'))).toEqual(NOT_FOUND());
      expect(await owner.post(stranger.path('domains/'), { domain: newName() })).toEqual(NOT_FOUND());
      expect((await stranger.get(stranger.path('domains/'))).body.results).toEqual([theirs]);
      expect((await owner.get(owner.path(`domains/${mine.id.toUpperCase()}/`))).body).toEqual(mine);
    });
  });

  describe('verification', () => {
    it('finds the challenge in the TXT records, and answers an empty 200 (DOM-16, D1)', async () => {
      const domain = await claim();
      dns.set(`_posthog-challenge.${domain.domain}`, [['v=spf1 -all'], [domain.verification_challenge]]);
      const answer = await owner.post(at(domain, 'verify/'));
      expect([answer.status, answer.text]).toEqual([200, '']);
      expect(answer.headers.get('content-length')).toBe('0');
      expect(answer.headers.get('content-type')).toBeNull();
      const after = await read(domain);
      expect(after).toEqual({ ...domain, is_verified: true, verified_at: after.verified_at });
      expect(Math.abs(Date.parse(after.verified_at) - api.clock.now().getTime())).toBeLessThan(10_000);
      expect(dns.asked).toContain(`_posthog-challenge.${domain.domain}`);
    });

    it('answers the Domain to those who prefer it', async () => {
      const domain = await claim();
      const answer = await owner.preferring.post(at(domain, 'verify/'), { domain: 'not-read', x: 1 });
      expect([answer.status, answer.body]).toEqual([200, domain]);
      expect(answer.headers.get('preference-applied')).toBe('return=representation');
      expect(answer.headers.get('vary')).toContain('Prefer');
    });

    it('puts a record of several pieces together', async () => {
      const domain = await claim();
      const challenge = domain.verification_challenge;
      dns.set(`_posthog-challenge.${domain.domain}`, [[challenge.slice(0, 20), challenge.slice(20)]]);
      await owner.post(at(domain, 'verify/'));
      expect((await read(domain)).is_verified).toBe(true);
    });

    it.each([
      ['the name does not exist', 'no such name'],
      ['the server fails', 'failure'],
      ['there is no record', []],
      ['the record reads otherwise', [['something else'], ['']]],
      ['the challenge is spread over two records', 'split'],
    ] as const)('is still 200 and not verified when %s (DOM-17)', async (_, reply) => {
      const domain = await claim();
      const challenge = domain.verification_challenge;
      const records =
        reply === 'split' ? [[challenge.slice(0, 20)], [challenge.slice(20)]] : structuredClone(reply);
      dns.set(`_posthog-challenge.${domain.domain}`, records as string[][]);
      const answer = await owner.preferring.post(at(domain, 'verify/'));
      expect([answer.status, answer.body]).toEqual([200, domain]);
    });

    it('is still 200 and not verified when DNS is silent, at the limit', async () => {
      const impatient: [unknown, unknown] = [TxtResolver, new DnsTxtResolver([dns.address], 300)];
      const silent = await TestApi.start({}, [impatient]);
      try {
        const person = await silent.owner();
        const { body: domain } = await person.post(person.path('domains/'), { domain: 'silent.example.com' });
        dns.set('_posthog-challenge.silent.example.com', 'silence');
        const path = person.path(`domains/${domain.id}/verify/`);
        const answers = await Promise.all([person.preferring.post(path), person.preferring.post(path)]);
        for (const answer of answers) expect([answer.status, answer.body]).toEqual([200, domain]);
      } finally {
        await silent.stop();
      }
    });

    it('happens once (DOM-18) and does not lapse (DOM-19)', async () => {
      const domain = await claimVerified();
      api.clock.advance({ days: 400 });
      expect(await owner.post(at(domain, 'verify/'))).toEqual(ALREADY_VERIFIED);
      expect(await owner.preferring.post(at(domain, 'verify/'))).toEqual(ALREADY_VERIFIED);
      api.clock.reset();
      expect(await read(domain)).toEqual(domain);
    });

    it('may be tried again at once (DOM-19)', async () => {
      const domain = await claim();
      const verify = () => owner.preferring.post(at(domain, 'verify/'));
      expect((await verify()).body.is_verified).toBe(false);
      dns.set(`_posthog-challenge.${domain.domain}`, [[domain.verification_challenge]]);
      expect((await verify()).body.is_verified).toBe(true);
    });

    it('takes no record of a domain that became another one meanwhile', async () => {
      const domain = await claim();
      const moved = newName();
      // The one who changes the domain also answers for the old one, late and with the challenge of the new one.
      dns.set(`_posthog-challenge.${domain.domain}`, async () => {
        const { body } = await owner.patch(at(domain), { domain: moved });
        return [[domain.verification_challenge], [body.verification_challenge]];
      });
      const answer = await owner.preferring.post(at(domain, 'verify/'));
      expect(answer.body).toMatchObject({ domain: moved, is_verified: false });
      expect((await read(domain)).is_verified).toBe(false);
    });

    it('is 404 when the domain was given up meanwhile', async () => {
      const domain = await claim();
      dns.set(`_posthog-challenge.${domain.domain}`, async () => {
        await owner.delete(at(domain));
        return [[domain.verification_challenge]];
      });
      expect(await owner.post(at(domain, 'verify/'))).toEqual(NOT_FOUND());
    });

    it('keeps nobody waiting for DNS', async () => {
      const domains = await Promise.all(Array.from({ length: 12 }, () => claim()));
      const resolvers: (() => void)[] = [];
      const gate = new Promise<void>((resolve) => resolvers.push(resolve));
      const asked = domains.map(
        ({ domain, verification_challenge }) =>
          new Promise<void>((resolve) => {
            dns.set(`_posthog-challenge.${domain}`, async () => {
              resolve();
              await gate;
              return [[verification_challenge]];
            });
          }),
      );
      const answers = domains.map((domain) => owner.preferring.post(at(domain, 'verify/')));
      await Promise.all(asked);
      // More look-ups under way than the pool has connections: neither the rows nor the connections are held.
      for (const domain of domains) {
        expect((await owner.patch(at(domain), { saml_entity_id: 'meanwhile' })).status).toBe(200);
      }
      for (const open of resolvers) open();
      for (const answer of await Promise.all(answers)) {
        expect(answer.body).toMatchObject({ is_verified: true, saml_entity_id: 'meanwhile' });
      }
    });

    it('reads no body, but refuses one that is malformed', async () => {
      const domain = await claim();
      expect((await owner.post(at(domain, 'verify/'), [1])).status).toBe(200);
      expect((await owner.post(at(domain, 'verify/'), undefined, { raw: '{' })).status).toBe(400);
    });
  });

  describe('SSO and JIT', () => {
    it.each([
      ['jit_provisioning_enabled', true],
      ['jit_provisioning_enabled', false],
      ['sso_enforcement', 'google-oauth2'],
      ['sso_enforcement', ''],
    ])('need a verified domain: %s %j (DOM-10)', async (field, value) => {
      const domain = await claim(SAML);
      expect(await owner.patch(at(domain), { [field]: value, saml_entity_id: 'x' })).toEqual(
        unverified(field),
      );
      expect(await read(domain)).toEqual(domain);
    });

    it.each([
      ['jit_provisioning_enabled', true],
      ['sso_enforcement', 'google-oauth2'],
    ])('need a verified domain to change in a PUT: %s', async (field, value) => {
      const domain = await claim(SAML);
      expect(await owner.put(at(domain), { ...domain, [field]: value })).toEqual(unverified(field));
      expect(await read(domain)).toEqual(domain);
    });

    it('may be sent back with the whole of one that is not (D4)', async () => {
      const domain = await claim();
      const answer = await owner.put(at(domain), { ...domain, saml_entity_id: 'id' });
      expect([answer.status, answer.body]).toEqual([200, { ...domain, saml_entity_id: 'id' }]);
    });

    it('can be set on a verified one (DOM-11, D20)', async () => {
      const domain = await claimVerified(SAML);
      for (const sso of ['google-oauth2', 'github', 'gitlab', 'saml', '']) {
        const answer = await owner.patch(at(domain), {
          sso_enforcement: sso,
          jit_provisioning_enabled: true,
        });
        expect([answer.status, answer.body]).toEqual([
          200,
          { ...domain, sso_enforcement: sso, jit_provisioning_enabled: true },
        ]);
      }
    });

    it('accept the whole object back (D4)', async () => {
      const domain = await claimVerified(SAML);
      const { body } = await owner.patch(at(domain), {
        sso_enforcement: 'saml',
        jit_provisioning_enabled: true,
      });
      const answer = await owner.put(at(domain), body);
      expect([answer.status, answer.body]).toEqual([200, body]);
    });

    it('need all three SAML fields for SAML, and keep them (D20)', async () => {
      const incomplete = (attr: string) =>
        refusal(
          400,
          'saml_incomplete',
          'Enforcing SAML needs saml_entity_id, saml_acs_url and saml_x509_cert, none of them empty.',
          attr,
        );
      const domain = await claimVerified();
      const { saml_x509_cert, ...two } = SAML;
      expect(await owner.patch(at(domain), { ...two, sso_enforcement: 'saml' })).toEqual(
        incomplete('sso_enforcement'),
      );
      expect(await read(domain)).toEqual(domain);
      const { body: enforced } = await owner.patch(at(domain), { ...SAML, sso_enforcement: 'saml' });
      expect(enforced).toMatchObject({ ...SAML, sso_enforcement: 'saml', has_saml: true });
      for (const field of Object.keys(SAML)) {
        for (const nothing of ['', null]) {
          expect(await owner.patch(at(domain), { [field]: nothing })).toEqual(incomplete(field));
        }
      }
      expect(await read(domain)).toEqual(enforced);
      const ended = await owner.patch(at(domain), { sso_enforcement: 'github', saml_x509_cert: '' });
      expect(ended.body).toMatchObject({ sso_enforcement: 'github', saml_x509_cert: '', has_saml: false });
    });
  });

  describe('another domain (D20)', () => {
    it('has to be verified anew with another challenge; SSO and JIT end, SAML stays', async () => {
      const domain = await claimVerified(SAML);
      await owner.patch(at(domain), { sso_enforcement: 'saml', jit_provisioning_enabled: true });
      const name = newName();
      const { status, body } = await owner.patch(at(domain), { domain: name });
      expect([status, body]).toEqual([
        200,
        {
          ...domain,
          ...SAML,
          domain: name,
          is_verified: false,
          verified_at: null,
          verification_challenge: expect.stringMatching(/^[\w-]{43}$/),
          jit_provisioning_enabled: false,
          sso_enforcement: '',
          has_saml: true,
        },
      ]);
      expect(body.verification_challenge).not.toBe(domain.verification_challenge);
      dns.set(`_posthog-challenge.${name}`, [[domain.verification_challenge]]);
      expect((await owner.preferring.post(at(domain, 'verify/'))).body.is_verified).toBe(false);
      dns.set(`_posthog-challenge.${name}`, [[body.verification_challenge]]);
      expect((await owner.preferring.post(at(domain, 'verify/'))).body.is_verified).toBe(true);
    });

    it('changes nothing when it is the same', async () => {
      const domain = await claimVerified();
      expect((await owner.patch(at(domain), { domain: domain.domain })).body).toEqual(domain);
      expect((await owner.put(at(domain), { domain: ` ${domain.domain} ` })).body).toEqual(domain);
    });

    it('does not take SSO or JIT along', async () => {
      const domain = await claimVerified();
      for (const [field, value] of [
        ['jit_provisioning_enabled', true],
        ['sso_enforcement', 'github'],
      ] as const) {
        expect(await owner.patch(at(domain), { domain: newName(), [field]: value })).toEqual(
          unverified(field),
        );
      }
      expect(await read(domain)).toEqual(domain);
    });
  });

  it('goes with its organization', async () => {
    const person = await api.owner();
    const domain = await claim({}, person);
    expect((await person.delete(person.path(''))).status).toBe(204);
    expect((await owner.post(owner.path('domains/'), { domain: domain.domain })).status).toBe(201);
  });
});
