import { Resolver } from 'node:dns';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { Settings, WrongSettings } from './settings';

const KEY = 'k'.repeat(32);
const DATABASE = { DATABASE_URL: 'postgres://hedgerow:hunter2@db.example.com/hedgerow', SECRET_KEY: KEY };
const SECRET_LINE = '(its value is kept secret) is not';

function linesOf(env: NodeJS.ProcessEnv): string[] {
  try {
    Settings.from(env);
  } catch (error) {
    if (error instanceof WrongSettings) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('Settings', () => {
  it('need nothing', () => {
    expect({ ...Settings.from({}) }).toEqual({
      host: '127.0.0.1',
      port: 8000,
      dataDir: resolve('data'),
      role: 'all',
      webConcurrency: 1,
      exportDir: resolve('data/exports'),
      exportConcurrency: 4,
      runRetentionDays: 90,
      allowPrivateDestinations: true,
      allowPrivatePluginSources: false,
      pluginRepositoryUrl: null,
      pluginDir: null,
      npmRegistryUrl: null,
      githubApiUrl: 'https://api.github.com',
      githubToken: null,
      gitlabApiUrl: 'https://gitlab.com/api/v4',
      gitlabToken: null,
      smtpUrl: null,
      emailFrom: 'Hedgerow <hedgerow@localhost>',
      emailReplyTo: null,
      rateLimitEnabled: false,
      databaseUrl: null,
      databasePoolSize: 10,
      secretKeys: [],
      publicUrl: null,
      trustProxy: false,
      defaultPrefer: 'minimal',
      metricsPort: null,
      corsOrigins: [],
      dnsServers: [],
      logLevel: 'info',
      logFormat: process.stdout.isTTY ? 'pretty' : 'json',
      bootstrapApiKey: null,
      bootstrapEmail: 'admin@hedgerow.local',
      bootstrapOrganization: 'My organization',
    });
  });

  it('keep exports away from private addresses in production, and in the folder of the data', () => {
    const settings = Settings.from({ NODE_ENV: 'production', DATA_DIR: '/data' });
    expect(settings.allowPrivateDestinations).toBe(false);
    expect(settings.exportDir).toBe('/data/exports');
  });

  it('take an empty value for none, as in a file of settings', () => {
    const names = ['PORT', 'DATABASE_URL', 'SECRET_KEY', 'PUBLIC_URL', 'METRICS_PORT', 'BOOTSTRAP_API_KEY'];
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    expect({ ...Settings.from(empty) }).toEqual({ ...Settings.from({}) });
  });

  it('are read from the environment', () => {
    const settings = Settings.from({
      ...DATABASE,
      HOST: '::',
      PORT: '0',
      DATA_DIR: '/var/lib/hedge row',
      DATABASE_POOL_SIZE: '20',
      SECRET_KEY: ` ${'a'.repeat(32)} , ${'b'.repeat(40)}`,
      PUBLIC_URL: 'https://example.com/hedgerow//',
      METRICS_PORT: '9100',
      CORS_ORIGINS: 'https://app.example.com, http://localhost:3000',
      DEFAULT_PREFER: 'representation',
      ROLE: 'worker',
      WEB_CONCURRENCY: '4',
      EXPORT_DIR: '/srv/exports',
      EXPORT_CONCURRENCY: '8',
      RUN_RETENTION_DAYS: '0',
      ALLOW_PRIVATE_DESTINATIONS: 'false',
      ALLOW_PRIVATE_PLUGIN_SOURCES: 'true',
      PLUGIN_REPOSITORY_URL: 'http://plugins.internal:8080/list.json?v=1',
      PLUGIN_DIR: '/srv/plugins/',
      NPM_REGISTRY_URL: 'http://npm.internal:4873/',
      GITHUB_API_URL: 'https://github.example.com/api/v3/',
      GITHUB_TOKEN: 'github-hunter2',
      GITLAB_API_URL: 'https://gitlab.example.com/api/v4',
      GITLAB_TOKEN: 'gitlab-hunter2',
      SMTP_URL: 'smtps://user:hunter2@mail.example.com',
      EMAIL_FROM: 'Acme Analytics <analytics@example.com>',
      EMAIL_REPLY_TO: 'help@example.com',
      RATE_LIMIT_ENABLED: 'true',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'pretty',
      BOOTSTRAP_API_KEY: `phx_${KEY}`,
      BOOTSTRAP_EMAIL: 'ops@example.com',
      BOOTSTRAP_ORGANIZATION: '  Hedgerow Ltd ',
    });
    expect(settings).toMatchObject({
      host: '::',
      port: 0,
      dataDir: '/var/lib/hedge row',
      databaseUrl: DATABASE.DATABASE_URL,
      databasePoolSize: 20,
      secretKeys: ['a'.repeat(32), 'b'.repeat(40)],
      publicUrl: 'https://example.com/hedgerow',
      metricsPort: 9100,
      corsOrigins: ['https://app.example.com', 'http://localhost:3000'],
      defaultPrefer: 'representation',
      role: 'worker',
      webConcurrency: 4,
      exportDir: '/srv/exports',
      exportConcurrency: 8,
      runRetentionDays: 0,
      allowPrivateDestinations: false,
      pluginDir: '/srv/plugins',
      npmRegistryUrl: 'http://npm.internal:4873',
      githubApiUrl: 'https://github.example.com/api/v3',
      githubToken: 'github-hunter2',
      gitlabApiUrl: 'https://gitlab.example.com/api/v4',
      gitlabToken: 'gitlab-hunter2',
      smtpUrl: 'smtps://user:hunter2@mail.example.com',
      emailFrom: 'Acme Analytics <analytics@example.com>',
      emailReplyTo: 'help@example.com',
      rateLimitEnabled: true,
      logLevel: 'debug',
      logFormat: 'pretty',
      bootstrapApiKey: `phx_${KEY}`,
      bootstrapEmail: 'ops@example.com',
      bootstrapOrganization: 'Hedgerow Ltd',
    });
  });

  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['loopback', 'loopback'],
    ['10.0.0.1, 192.168.0.0/16, fd00::/8, uniquelocal', '10.0.0.1, 192.168.0.0/16, fd00::/8, uniquelocal'],
  ])('trust a proxy: %s', (value, trustProxy) => {
    expect(Settings.from({ TRUST_PROXY: value }).trustProxy).toBe(trustProxy);
  });

  it('serve in as many processes as run at once here, if asked to', () => {
    const { webConcurrency } = Settings.from({ WEB_CONCURRENCY: 'auto' });
    expect(webConcurrency).toBe(Math.min(64, availableParallelism()));
  });

  it.each(['9.9.9.9', '9.9.9.9:5353', '2620:fe::fe', '[2620:fe::fe]', '[2620:fe::fe]:53', '1.1.1.1 , ::1'])(
    'name DNS servers that Node can ask: %s',
    (value) => {
      const { dnsServers } = Settings.from({ DNS_SERVERS: value });
      expect(dnsServers).toEqual(value.split(',').map((server) => server.trim()));
      expect(() => new Resolver().setServers(dnsServers)).not.toThrow();
    },
  );

  describe('that are wrong', () => {
    const port = 'is not a port: a whole number from 0 to 65535.';
    const proxies = 'is not true, false, a number of proxies, or a comma-separated list of their addresses.';
    const dns =
      'is not a comma-separated list of IP addresses, each with an optional port, such as 9.9.9.9:53.';
    const base = 'an http or https URL without user, password and query.';
    const mailbox = 'is not an e-mail address, or a name with one: Name <name@example.com>.';
    const origins = 'is not a comma-separated list of origins, such as https://app.example.com, or *.';
    const url = 'is not an http or https URL without query, such as https://hedgerow.example.com.';
    const catalogue =
      'an http or https URL without user and password, such as https://example.com/plugins.json.';

    it.each([
      ['PORT', '65536', port],
      ['PORT', '-1', port],
      ['PORT', 'http', port],
      ['PORT', '80.5', port],
      ['METRICS_PORT', '0x50', port],
      ['DATABASE_POOL_SIZE', '0', 'is not a whole number from 1 to 1000.'],
      ['DATABASE_POOL_SIZE', '1001', 'is not a whole number from 1 to 1000.'],
      ['DATABASE_POOL_SIZE', 'ten', 'is not a whole number from 1 to 1000.'],
      ['PUBLIC_URL', 'hedgerow.example.com', url],
      ['PUBLIC_URL', 'ftp://hedgerow.example.com', url],
      ['PUBLIC_URL', 'https://hedgerow.example.com/?x=1', url],
      ['PUBLIC_URL', 'https://', url],
      ['TRUST_PROXY', 'yes', proxies],
      ['TRUST_PROXY', 'TRUE', proxies],
      ['TRUST_PROXY', '-1', proxies],
      ['TRUST_PROXY', '10.0.0.1,', proxies],
      ['TRUST_PROXY', '10.0.0.256', proxies],
      ['TRUST_PROXY', '10.0.0.0/33', proxies],
      ['TRUST_PROXY', '10.0.0.0/0', proxies],
      ['TRUST_PROXY', '10.0.0.0/8/8', proxies],
      ['CORS_ORIGINS', 'app.example.com', origins],
      ['CORS_ORIGINS', 'https://app.example.com/', origins],
      ['DEFAULT_PREFER', 'full', 'is not one of minimal, representation.'],
      ['DNS_SERVERS', 'dns.example.com', dns],
      ['DNS_SERVERS', '9.9.9', dns],
      ['DNS_SERVERS', '999.9.9.9', dns],
      ['DNS_SERVERS', '9.9.9.9:0', dns],
      ['DNS_SERVERS', '9.9.9.9:65536', dns],
      ['DNS_SERVERS', '[9.9.9.9]:53', dns],
      ['DNS_SERVERS', '[::1', dns],
      ['DNS_SERVERS', '9.9.9.9,,1.1.1.1', dns],
      ['ROLE', 'web', 'is not one of all, api, worker.'],
      ['WEB_CONCURRENCY', '0', 'is not a whole number from 1 to 64, or auto.'],
      ['WEB_CONCURRENCY', '65', 'is not a whole number from 1 to 64, or auto.'],
      ['WEB_CONCURRENCY', 'all', 'is not a whole number from 1 to 64, or auto.'],
      ['EXPORT_CONCURRENCY', '0', 'is not a whole number from 1 to 100.'],
      ['RUN_RETENTION_DAYS', '-1', 'is not a whole number from 0 to 36500.'],
      ['ALLOW_PRIVATE_DESTINATIONS', 'yes', 'is not true or false.'],
      ['ALLOW_PRIVATE_PLUGIN_SOURCES', 'yes', 'is not true or false.'],
      ['EMAIL_FROM', 'Acme <acme>', mailbox],
      ['EMAIL_FROM', 'Acme a@example.com', mailbox],
      ['EMAIL_FROM', 'Acme\r\nBcc: x@example.com <a@example.com>', mailbox],
      ['EMAIL_REPLY_TO', 'help', mailbox],
      ['RATE_LIMIT_ENABLED', '1', 'is not true or false.'],
      ['LOG_LEVEL', 'loud', 'is not one of fatal, error, warn, info, debug, trace, silent.'],
      ['LOG_FORMAT', 'xml', 'is not one of json, pretty.'],
      ['BOOTSTRAP_EMAIL', 'admin', 'is not an e-mail address.'],
      ['BOOTSTRAP_EMAIL', 'a b@example.com', 'is not an e-mail address.'],
      ['BOOTSTRAP_ORGANIZATION', '   ', 'is not a name of 1 to 64 characters.'],
      ['BOOTSTRAP_ORGANIZATION', 'x'.repeat(65), 'is not a name of 1 to 64 characters.'],
    ])('are told with their value and what is allowed: %s %s', (name, value, allowed) => {
      expect(linesOf({ [name]: value })).toEqual([`${name}: ${JSON.stringify(value)} ${allowed}`]);
    });

    it.each([
      [
        'DATABASE_URL',
        'mysql://root:hunter2@localhost/db',
        'of the form postgres://user:password@host:5432/database.',
      ],
      ['DATABASE_URL', 'hunter2', 'of the form postgres://user:password@host:5432/database.'],
      ['PLUGIN_REPOSITORY_URL', 'hunter2', catalogue],
      ['PLUGIN_REPOSITORY_URL', 'file:///hunter2.json', catalogue],
      ['PLUGIN_REPOSITORY_URL', 'https://user:hunter2@example.com/', catalogue],
      ['NPM_REGISTRY_URL', 'hunter2', base],
      ['GITHUB_API_URL', 'ftp://hunter2.example.com', base],
      ['GITLAB_API_URL', 'https://user:hunter2@example.com', base],
      ['GITLAB_API_URL', 'https://gitlab.example.com/?token=hunter2', base],
      ['GITHUB_TOKEN', 'hunter2 hunter2', 'a token: letters, digits and signs, without blanks.'],
      ['GITLAB_TOKEN', 'hunter2\n', 'a token: letters, digits and signs, without blanks.'],
      ['SMTP_URL', 'https://user:hunter2@mail', 'of the form smtp://user:password@host:587.'],
      ['SECRET_KEY', 'hunter2', 'a comma-separated list of keys of at least 32 characters.'],
      ['SECRET_KEY', `${KEY},hunter2`, 'a comma-separated list of keys of at least 32 characters.'],
      ['SECRET_KEY', `${KEY},`, 'a comma-separated list of keys of at least 32 characters.'],
      ['BOOTSTRAP_API_KEY', 'hunter2', '"phx_" followed by at least 32 letters, digits, "_" or "-".'],
      [
        'BOOTSTRAP_API_KEY',
        `phx_${'hunter2!'.repeat(5)}`,
        '"phx_" followed by at least 32 letters, digits, "_" or "-".',
      ],
    ])('are told without their value when they are secret: %s', (name, value, allowed) => {
      const lines = linesOf({ ...DATABASE, [name]: value });
      expect(lines).toEqual([`${name}: ${SECRET_LINE} ${allowed}`]);
      expect(lines.join()).not.toContain('hunter2');
      expect(lines.join()).not.toContain(KEY);
    });

    it('have a line each', () => {
      const lines = linesOf({ PORT: 'x', LOG_LEVEL: 'y', SECRET_KEY: 'z', HOST: '0.0.0.0' });
      expect(lines.map((line) => line.replace(/:.*/, ''))).toEqual(['PORT', 'SECRET_KEY', 'LOG_LEVEL']);
    });
  });

  it('need SECRET_KEY with DATABASE_URL', () => {
    const [line, ...more] = linesOf({ DATABASE_URL: DATABASE.DATABASE_URL });
    expect(line).toMatch(/^SECRET_KEY is missing: /);
    expect(line).not.toContain('hunter2');
    expect(more).toEqual([]);
  });

  it('need PUBLIC_URL with SMTP_URL', () => {
    const [line, ...more] = linesOf({ SMTP_URL: 'smtp://user:hunter2@mail.example.com' });
    expect(line).toMatch(/^PUBLIC_URL is missing: /);
    expect(line).not.toContain('hunter2');
    expect(more).toEqual([]);
  });

  it('become those of the embedded database, the rest as given', () => {
    const given = Settings.from({ PORT: '1234' });
    const settings = given.withDatabase('postgres://localhost/x', [KEY]);
    expect({ ...settings }).toEqual({ ...given, databaseUrl: 'postgres://localhost/x', secretKeys: [KEY] });
    expect(settings).toBeInstanceOf(Settings);
    expect([given.databaseUrl, given.secretKeys]).toEqual([null, []]);
  });
});
