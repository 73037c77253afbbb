import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { PostgresWriter } from '../../src/batch-export/destinations/postgres.writer';
import { DeliveryFailed } from '../../src/batch-export/domain/delivery';
import type { Config } from '../../src/batch-export/domain/destination-rules';
import { Settings } from '../../src/config/settings';
import { EmbeddedPostgres } from '../../src/shared/persistence/embedded-postgres/index';
import { eventOf, eventsOf, TestDelivery, TestProgress } from '../support/delivery';
import { LOCAL_CERTIFICATE, LOCAL_KEY } from '../support/local-certificate';
import { until } from '../support/server-process';

/** A text as a file of PostgreSQL's own, that nobody else reads. */
const FILE = (name: string, lines: string) => `
  COPY (SELECT unnest(string_to_array('${lines.trim()}', E'\\n'))) TO PROGRAM 'umask 077; cat > ${name}'`;

describe('The destination Postgres with TLS', () => {
  const writer = new PostgresWriter(
    Settings.from({
      SECRET_KEY: 'a secret key for tests and for tests alone',
      DATABASE_URL: 'postgres://h/d',
    }),
  );
  let directory: string;
  let server: EmbeddedPostgres;
  let admin: Client;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hedgerow-tls-'));
    await chmod(directory, 0o755);
    server = await EmbeddedPostgres.start({ directory, durable: false });
    admin = new Client({ connectionString: server.url });
    await admin.connect();
    await admin.query(FILE('server.key', LOCAL_KEY));
    await admin.query(FILE('server.crt', LOCAL_CERTIFICATE));
    await admin.query('ALTER SYSTEM SET ssl = on');
    await admin.query('SELECT pg_reload_conf()');
    await until(async () => (await admin.query('SHOW ssl')).rows[0].ssl === 'on');
    await admin.query(`
      CREATE TABLE sessions (ssl boolean);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO public.sessions SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid();
        RETURN NULL;
      END $$`);
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const config = (rest: Config = {}): Config => {
    const url = new URL(server.url);
    return {
      host: 'localhost',
      port: Number(url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      schema: 'public',
      table_name: 'events',
      ssl_mode: 'require',
      has_self_signed_cert: false,
      ...rest,
    };
  };
  const write = (delivery: TestDelivery, rest: Config = {}, signal = new AbortController().signal) =>
    writer.write(config(rest), delivery, new TestProgress(), signal);
  const failureOf = (...args: Parameters<typeof write>): Promise<unknown> =>
    write(...args).then(
      () => 'it was written',
      (error: unknown) => error,
    );
  const failed = (message: unknown) =>
    expect.objectContaining({ constructor: DeliveryFailed, isTransient: false, message });

  it('does not trust a certificate that nobody vouches for, also on this machine', async () => {
    const untrusted = "self-signed certificate ('has_self_signed_cert' accepts it)";
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await failureOf(new TestDelivery(eventsOf(1)), { host })).toEqual(failed(untrusted));
    }
    expect((await admin.query("SELECT to_regclass('events') AS events")).rows).toEqual([{ events: null }]);
  });

  it('encrypts, where the certificate is accepted as it is', async () => {
    const accepting = { has_self_signed_cert: true };
    await write(new TestDelivery([]), accepting);
    await admin.query('CREATE TRIGGER note AFTER INSERT ON events EXECUTE FUNCTION note()');
    await write(new TestDelivery(eventsOf(2000), { chunk: 999 }), accepting);
    expect((await admin.query('SELECT count(*)::int AS n FROM events')).rows).toEqual([{ n: 2000 }]);
    await write(new TestDelivery(eventsOf(2001)), { ssl_mode: 'disable' });
    expect((await admin.query('SELECT ssl FROM sessions')).rows).toEqual([{ ssl: true }, { ssl: false }]);
  });

  it('tells of a wrong password without saying it, or the user', async () => {
    const wrong = { has_self_signed_cert: true, password: 'sw0rdfish' };
    expect(await failureOf(new TestDelivery([]), wrong)).toEqual(
      failed('password authentication failed for user "***"'),
    );
  });

  it('never gets a password that the environment of this process has for others', async () => {
    const given = process.env.PGPASSWORD;
    process.env.PGPASSWORD = new URL(server.url).password;
    try {
      const failure = await failureOf(new TestDelivery([]), { has_self_signed_cert: true, password: '' });
      expect(failure).toEqual(failed(expect.stringContaining('password')));
    } finally {
      if (given === undefined) delete process.env.PGPASSWORD;
      else process.env.PGPASSWORD = given;
    }
  });

  it('ends promptly when it is to end, and leaves no session', async () => {
    const stop = new AbortController();
    const records = (function* () {
      for (let number = 0; ; number += 1) {
        if (number === 5000) stop.abort();
        yield eventOf(number);
      }
    })();
    const failure = await failureOf(new TestDelivery(records), { has_self_signed_cert: true }, stop.signal);
    expect(failure).toBe(stop.signal.reason);
    const left = "SELECT FROM pg_stat_activity WHERE application_name = 'hedgerow'";
    await until(async () => (await admin.query(left)).rows.length === 0);
  });
});
