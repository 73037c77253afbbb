import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { TestApi } from '../support/api';
import { Cli, SECRET_KEY } from '../support/cli';
import { DnsServer } from '../support/dns-server';
import { MailCatcher } from '../support/smtp-server';

jest.setTimeout(60_000);

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  readonly found: string;
  readonly mend: string | null;
}

describe('The doctor', () => {
  const catcher = new MailCatcher();
  let api: TestApi;
  let dns: DnsServer;
  let folder: string;
  let cli: Cli;

  beforeAll(async () => {
    await catcher.start();
    dns = await DnsServer.start();
    dns.set('example.com', [['v=spf1 -all']]);
    folder = mkdtempSync(join(tmpdir(), 'hedgerow-doctor-'));
    api = await TestApi.start();
    cli = new Cli({
      DATABASE_URL: api.databaseUrl,
      SECRET_KEY,
      SMTP_URL: catcher.url,
      EMAIL_FROM: 'hedgerow@example.com',
      PUBLIC_URL: 'https://hedgerow.example.com',
      DNS_SERVERS: dns.address,
      EXPORT_DIR: join(folder, 'exports'),
      PORT: new URL(api.url).port,
    });
  });
  afterAll(async () => {
    for (const secret of [SECRET_KEY, 'hunter2', 'AKIDEXAMPLE']) expect(cli.said).not.toContain(secret);
    await api.stop();
    await dns.stop();
    await catcher.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const examine = async (env: NodeJS.ProcessEnv = {}) => {
    const { code, err, json } = await cli.run(['doctor', '--json'], env);
    expect(err).toBe('');
    const { ok, findings } = json as { ok: boolean; findings: Finding[] };
    expect(code).toBe(ok ? 0 : 1);
    const bad = findings.filter(({ state }) => state !== 'ok');
    expect(ok).toBe(bad.every(({ state }) => state === 'warning'));
    return { ok, findings, bad };
  };
  /** What is wrong when only these settings differ from those with which all is well. */
  const badWith = async (env: NodeJS.ProcessEnv) => (await examine(env)).bad;

  it('finds that all is well, and changes and sends nothing', async () => {
    const { ok, findings } = await examine();
    expect(findings.map(({ check, state, mend }) => [check, state, mend])).toEqual(
      [
        'settings',
        'database',
        'migrations',
        'clock',
        'connections',
        'secrets',
        'mail',
        'dns',
        'folder EXPORT_DIR',
        'server',
      ].map((check) => [check, 'ok', null]),
    );
    expect(ok).toBe(true);
    expect(dns.asked).toEqual(['example.com']);
    expect(catcher.mails).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('tells people what to mend, aligned, and exits with 1', async () => {
    const { code, out, err } = await cli.run(['doctor'], { SMTP_URL: 'smtp://user:hunter2@127.0.0.1:1' });
    expect({ code, err }).toEqual({ code: 1, err: '' });
    const lines = out.split('\n');
    const at = lines.findIndex((line) => line.startsWith('problem  mail               The mail server at'));
    expect(lines[at + 1]).toMatch(/^ {28}-> Check SMTP_URL/);
    expect(lines).toContain('ok       settings           They are right.');
    expect(out).toMatch(/\n\n1 problem, 0 warnings\.\n$/);
  });

  it('names every wrong setting, and checks nothing else', async () => {
    const { findings } = await examine({
      DATABASE_URL: 'mysql://user:hunter2@db/none',
      PORT: 'http',
      LOG_LEVEL: 'loud',
    });
    expect(findings.map(({ check, state }) => `${state} ${check}`)).toEqual([
      'problem settings',
      'problem settings',
      'problem settings',
      'warning others',
    ]);
    expect(
      findings
        .map(({ found }) => found.split(':')[0])
        .sort()
        .slice(0, 3),
    ).toEqual(['DATABASE_URL', 'LOG_LEVEL', 'Nothing else was checked.']);
    const missing = await badWith({ SECRET_KEY: '', PUBLIC_URL: '' });
    expect(missing.map(({ found }) => found)).toEqual([
      expect.stringMatching(/^SECRET_KEY is missing/),
      expect.stringMatching(/^PUBLIC_URL is missing/),
      'Nothing else was checked.',
    ]);
  });

  it('finds a database that cannot be reached', async () => {
    expect(await badWith({ DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:1/none' })).toEqual([
      {
        check: 'database',
        state: 'problem',
        found: expect.stringContaining('No connection to the database none at 127.0.0.1:1'),
        mend: expect.any(String),
      },
    ]);
  });

  it('finds migrations that are lacking, parts of the job queue as well, and those of a newer version', async () => {
    const client = new Client({ connectionString: api.databaseUrl });
    await client.connect();
    const [last] = (await client.query('SELECT * FROM migrations ORDER BY id DESC LIMIT 1')).rows;
    await client.query('DELETE FROM migrations WHERE id = $1', [last.id]);
    expect(await badWith({})).toMatchObject([
      { check: 'migrations', state: 'problem', found: 'Lacking: 1 migration.' },
    ]);
    await client.query('INSERT INTO migrations SELECT $1, $2, $3', [last.id, last.timestamp, last.name]);
    await client.query("UPDATE jobs.queue SET name = 'other' WHERE name = 'mails'");
    expect(await badWith({})).toMatchObject([{ found: 'Lacking: for the job queue: queue mails.' }]);
    await client.query("UPDATE jobs.queue SET name = 'mails' WHERE name = 'other'");
    await client.query("INSERT INTO migrations (timestamp, name) VALUES (9, 'Later9')");
    expect(await badWith({})).toMatchObject([
      { check: 'migrations', state: 'warning', found: expect.stringContaining('newer Hedgerow') },
    ]);
    await client.query("DELETE FROM migrations WHERE name = 'Later9'");
    await client.end();
  });

  it('counts the secrets that no key opens, by kind, and shows none', async () => {
    const owner = await api.owner();
    const config = {
      bucket_name: 'events',
      region: 'us-east-1',
      prefix: 'acme/',
      aws_access_key_id: 'AKIDEXAMPLE',
      aws_secret_access_key: 'hunter2',
    };
    for (const name of ['One', 'Two']) {
      const body = { name, interval: 'hour', destination: { type: 'S3', config } };
      expect((await owner.post(owner.path('batch_exports/'), body)).status).toBe(201);
    }
    const made = await owner.post(
      '/api/personal_api_keys/',
      { label: 'Once', scopes: ['*'] },
      {
        headers: { 'Idempotency-Key': 'once' },
      },
    );
    expect(made.status).toBe(201);
    const { findings } = await examine();
    expect(findings.find(({ check }) => check === 'secrets')).toMatchObject({
      state: 'ok',
      found: '3 secrets, all can be opened.',
    });
    expect(await badWith({ SECRET_KEY: 'x'.repeat(32) })).toMatchObject([
      {
        check: 'secrets',
        state: 'problem',
        found: 'No key opens 2 of 2 credentials of batch exports.',
        mend: expect.stringContaining('SECRET_KEY'),
      },
      { check: 'secrets', found: 'No key opens 1 of 1 answers to repeatable requests.' },
    ]);
    expect(await badWith({ SECRET_KEY: `${'x'.repeat(32)},${SECRET_KEY}` })).toEqual([]);
  });

  it('finds what is wrong with mail', async () => {
    expect(await badWith({ SMTP_URL: '' })).toMatchObject([{ check: 'mail', state: 'warning' }]);
    expect(await badWith({ EMAIL_FROM: '' })).toMatchObject([
      { check: 'mail', state: 'warning', mend: expect.stringContaining('EMAIL_FROM') },
    ]);
    // This server takes nobody's password.
    const locked = catcher.url.replace('//', '//user:hunter2@');
    expect(await badWith({ SMTP_URL: locked })).toMatchObject([
      { check: 'mail', state: 'problem', found: expect.stringContaining('cannot be used') },
    ]);
  });

  it('finds DNS servers that do not answer', async () => {
    expect(await badWith({ DNS_SERVERS: '127.0.0.1:1' })).toMatchObject([
      { check: 'dns', state: 'problem', found: expect.stringContaining('127.0.0.1:1 does not answer') },
    ]);
    expect(await badWith({ DNS_SERVERS: `${dns.address},127.0.0.1:1` })).toMatchObject([
      { check: 'dns', state: 'warning' },
    ]);
    dns.set('example.com', 'failure');
    expect(await badWith({})).toMatchObject([{ check: 'dns', state: 'problem' }]);
    dns.set('example.com', [['v=spf1 -all']]);
  });

  it('finds folders that cannot be written to', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const wrong of [file, join(file, 'below')]) {
      expect(await badWith({ EXPORT_DIR: wrong })).toMatchObject([
        {
          check: 'folder EXPORT_DIR',
          state: 'problem',
          found: expect.stringContaining(`Nothing can be written to ${wrong}`),
          mend: expect.stringContaining('EXPORT_DIR'),
        },
      ]);
    }
    rmSync(file);
  });

  it('finds a port that another program has', async () => {
    expect(await badWith({ PORT: new URL(catcher.url).port })).toMatchObject([
      { check: 'server', state: 'warning', found: expect.stringContaining('Another program') },
    ]);
  });
});
