import { isIP, isIPv4, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { cleanEnv, EnvMissingError, makeValidator } from 'envalid';

/** Why the server does not start: one line for each wrong setting. */
export class WrongSettings extends Error {}

const ROLES = ['all', 'api', 'worker'] as const;
export type Role = (typeof ROLES)[number];

/** Everything that can be set from outside, checked once. No other file reads settings from `process.env`. */
export class Settings {
  readonly host: string;
  readonly port: number;
  /** Absolute path of the folder of the embedded database, its password and the generated secret key. */
  readonly dataDir: string;
  /** A PostgreSQL to use in place of the embedded one, or null. */
  readonly databaseUrl: string | null;
  readonly databasePoolSize: number;
  /** Keys for secrets at rest: the first encrypts, all decrypt. Empty: the embedded mode makes one. */
  readonly secretKeys: readonly string[];
  /** Scheme, host and optional path that callers see, without a slash at the end, or null: as the request says. */
  readonly publicUrl: string | null;
  readonly trustProxy: boolean | number | string;
  readonly defaultPrefer: 'minimal' | 'representation';
  readonly metricsPort: number | null;
  /** The origins whose pages may call the API from a browser; `*`: any. Empty: none. */
  readonly corsOrigins: readonly string[];
  readonly dnsServers: readonly string[];
  /** What this process does: answer requests, execute jobs, or both. */
  readonly role: Role;
  /** In how many processes: each has a pool of its own, and executes jobs of its own. */
  readonly webConcurrency: number;
  /** Absolute path of the folder that the destination File writes below. */
  readonly exportDir: string;
  /** How many runs of batch exports this process executes at once. */
  readonly exportConcurrency: number;
  /** In days, how long runs of batch exports are kept after they have ended; 0: for ever. */
  readonly runRetentionDays: number;
  /** Whether batch exports may go to loopback, private and link-local addresses. */
  readonly allowPrivateDestinations: boolean;
  /** Whether plugins and their catalogue may come from loopback, private and link-local addresses. */
  readonly allowPrivatePluginSources: boolean;
  /** Absolute path of the folder that plugins at `file:` addresses are below, or null: there are none. */
  readonly pluginDir: string | null;
  /** The npm registry that plugins come from, or null: npm's own default. */
  readonly npmRegistryUrl: string | null;
  /** Without a slash at the end; so is that of GitLab. */
  readonly githubApiUrl: string;
  readonly githubToken: string | null;
  readonly gitlabApiUrl: string;
  readonly gitlabToken: string | null;
  /** Where the catalogue of plugins is, or null: the one that comes with the server. */
  readonly pluginRepositoryUrl: string | null;
  /** A mail server, such as `smtps://user:password@mail.example.com`, or null: no mail goes out. */
  readonly smtpUrl: string | null;
  /** Whom mails are from: an address, or `Name <address>`. */
  readonly emailFrom: string;
  /** Where answers to mails go that are from nobody in particular, or null. */
  readonly emailReplyTo: string | null;
  /** Whether callers are limited to so many requests a minute and an hour (RATE-01). */
  readonly rateLimitEnabled: boolean;
  readonly logLevel: string;
  readonly logFormat: 'json' | 'pretty';
  readonly bootstrapApiKey: string | null;
  readonly bootstrapEmail: string;
  readonly bootstrapOrganization: string;

  private constructor(values: SettingValues) {
    this.host = values.HOST;
    this.port = values.PORT;
    this.dataDir = resolve(values.DATA_DIR);
    this.databaseUrl = values.DATABASE_URL || null;
    this.databasePoolSize = values.DATABASE_POOL_SIZE;
    this.secretKeys = values.SECRET_KEY;
    this.publicUrl = values.PUBLIC_URL || null;
    this.trustProxy = values.TRUST_PROXY;
    this.defaultPrefer = values.DEFAULT_PREFER;
    this.metricsPort = values.METRICS_PORT;
    this.corsOrigins = values.CORS_ORIGINS;
    this.dnsServers = values.DNS_SERVERS;
    this.role = values.ROLE;
    this.webConcurrency = values.WEB_CONCURRENCY;
    this.exportDir = resolve(values.EXPORT_DIR || join(this.dataDir, 'exports'));
    this.exportConcurrency = values.EXPORT_CONCURRENCY;
    this.runRetentionDays = values.RUN_RETENTION_DAYS;
    this.allowPrivateDestinations = values.ALLOW_PRIVATE_DESTINATIONS;
    this.allowPrivatePluginSources = values.ALLOW_PRIVATE_PLUGIN_SOURCES;
    this.pluginDir = values.PLUGIN_DIR === '' ? null : resolve(values.PLUGIN_DIR);
    this.npmRegistryUrl = values.NPM_REGISTRY_URL || null;
    this.githubApiUrl = values.GITHUB_API_URL;
    this.githubToken = values.GITHUB_TOKEN || null;
    this.gitlabApiUrl = values.GITLAB_API_URL;
    this.gitlabToken = values.GITLAB_TOKEN || null;
    this.pluginRepositoryUrl = values.PLUGIN_REPOSITORY_URL || null;
    this.smtpUrl = values.SMTP_URL || null;
    this.emailFrom = values.EMAIL_FROM;
    this.emailReplyTo = values.EMAIL_REPLY_TO || null;
    this.rateLimitEnabled = values.RATE_LIMIT_ENABLED;
    this.logLevel = values.LOG_LEVEL;
    this.logFormat = values.LOG_FORMAT;
    this.bootstrapApiKey = values.BOOTSTRAP_API_KEY || null;
    this.bootstrapEmail = values.BOOTSTRAP_EMAIL;
    this.bootstrapOrganization = values.BOOTSTRAP_ORGANIZATION;
  }

  /** @throws WrongSettings that names every wrong setting, its value (never a secret) and what is allowed. */
  static from(env: NodeJS.ProcessEnv = process.env): Settings {
    const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
    const settings = new Settings(readValues(given));
    const missing: string[] = [];
    if (settings.databaseUrl !== null && settings.secretKeys.length === 0) {
      missing.push(
        'SECRET_KEY is missing: with DATABASE_URL it must be given, at least 32 characters, the same for every ' +
          'process (make one: node -p "crypto.randomBytes(32).toString(\'base64url\')").',
      );
    }
    if (settings.smtpUrl !== null && settings.publicUrl === null) {
      missing.push(
        'PUBLIC_URL is missing: with SMTP_URL it must be given, since mails carry links to it, such as ' +
          'https://hedgerow.example.com.',
      );
    }
    if (missing.length > 0) throw new WrongSettings(missing.join('\n'));
    return settings;
  }

  /** To the database, of all processes: their pools, two spare ones, and two for each export. */
  get mostConnections(): number {
    return this.webConcurrency * (this.databasePoolSize + 2 + 2 * this.exportConcurrency);
  }

  /** The same settings for a command of the operator's: it executes no jobs, and leaves connections to the servers. */
  forCommand(): Settings {
    return this.with({ role: 'api', databasePoolSize: 2, rateLimitEnabled: false });
  }

  /** The same settings with the database (and the key) that the embedded mode brought up. */
  withDatabase(databaseUrl: string, secretKeys: readonly string[] = this.secretKeys): Settings {
    return this.with({ databaseUrl, secretKeys });
  }

  private with(values: Partial<Settings>): Settings {
    return Object.assign(Object.create(Settings.prototype) as Settings, this, values);
  }
}

type SettingValues = ReturnType<typeof readValues>;

/** What envalid shows of a value it refuses; never called for secrets. */
const wrong = (value: string, allowed: string) => new TypeError(`${JSON.stringify(value)} is not ${allowed}`);

const listed = (value: string): string[] => value.split(',').map((item) => item.trim());

const port = makeValidator<number>((value) => {
  const number = Number(value);
  if (!/^\d+$/.test(value) || number > 65535) throw wrong(value, 'a port: a whole number from 0 to 65535');
  return number;
});

const wholeNumber = (from: number, to: number) =>
  makeValidator<number>((value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < from || number > to) {
      throw wrong(value, `a whole number from ${from} to ${to}`);
    }
    return number;
  });

const MOST_PROCESSES = 64;

const processes = makeValidator<number>((value) => {
  if (value === 'auto') return Math.min(MOST_PROCESSES, availableParallelism());
  const number = Number(value);
  if (!/^\d+$/.test(value) || number < 1 || number > MOST_PROCESSES) {
    throw wrong(value, `a whole number from 1 to ${MOST_PROCESSES}, or auto`);
  }
  return number;
});

const oneOf = <T extends string>(...choices: T[]) =>
  makeValidator<T>((value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw wrong(value, `one of ${choices.join(', ')}`);
    return choice;
  });

const trueOrFalse = makeValidator<boolean>((value) => {
  if (value !== 'true' && value !== 'false') throw wrong(value, 'true or false');
  return value === 'true';
});

const text = makeValidator<string>((value) => value);

const name = makeValidator<string>((value) => {
  const trimmed = value.trim();
  if (trimmed === '' || [...trimmed].length > 64) throw wrong(value, 'a name of 1 to 64 characters');
  return trimmed;
});

const email = makeValidator<string>((value) => {
  if (!/^[^\s@]+@[^\s@]+$/.test(value) || value.length > 254) throw wrong(value, 'an e-mail address');
  return value;
});

const mailbox = makeValidator<string>((value) => {
  if (
    !/^(?:[^<>\r\n]* <)?[^\s@<>]+@[^\s@<>]+>?$/.test(value) ||
    value.includes('<') !== value.endsWith('>')
  ) {
    throw wrong(value, 'an e-mail address, or a name with one: Name <name@example.com>');
  }
  return value;
});

const smtpUrl = makeValidator<string>((value) => {
  if (!URL.canParse(value) || !/^smtps?:\/\/[^/]/.test(value)) {
    throw new TypeError('(its value is kept secret) is not of the form smtp://user:password@host:587');
  }
  return value;
});

const publicUrl = makeValidator<string>((value) => {
  if (!URL.canParse(value) || !/^https?:\/\/[^?#]+$/.test(value)) {
    throw wrong(value, 'an http or https URL without query, such as https://hedgerow.example.com');
  }
  return value.replace(/\/+$/, '');
});

const fileUrl = makeValidator<string>((value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw new TypeError(
      '(its value is kept secret) is not an http or https URL without user and password, such as https://example.com/plugins.json',
    );
  }
  return value;
});

const baseUrl = makeValidator<string>((value) => {
  if (!URL.canParse(value) || !/^https?:\/\/[^?#@]+$/.test(value)) {
    throw new TypeError(
      '(its value is kept secret) is not an http or https URL without user, password and query',
    );
  }
  return value.replace(/\/+$/, '');
});

/** What goes into the header `Authorization`. */
const token = makeValidator<string>((value) => {
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw new TypeError(
      '(its value is kept secret) is not a token: letters, digits and signs, without blanks',
    );
  }
  return value;
});

const origins = makeValidator<string[]>((value) => {
  const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text;
  if (!listed(value).every((text) => text === '*' || isOrigin(text))) {
    throw wrong(value, 'a comma-separated list of origins, such as https://app.example.com, or *');
  }
  return listed(value);
});

const databaseUrl = makeValidator<string>((value) => {
  if (!URL.canParse(value) || !/^postgres(ql)?:/.test(value)) {
    throw new TypeError(
      '(its value is kept secret) is not of the form postgres://user:password@host:5432/database',
    );
  }
  return value;
});

const secretKeys = makeValidator<string[]>((value) => {
  const keys = listed(value);
  if (keys.some((key) => key.length < 32)) {
    throw new TypeError(
      '(its value is kept secret) is not a comma-separated list of keys of at least 32 characters',
    );
  }
  return keys;
});

const apiKey = makeValidator<string>((value) => {
  if (!/^phx_[0-9A-Za-z_-]{32,}$/.test(value)) {
    throw new TypeError(
      '(its value is kept secret) is not "phx_" followed by at least 32 letters, digits, "_" or "-"',
    );
  }
  return value;
});

/** What Express knows networks by. */
const NETWORK_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** An address such as `10.0.0.1`, or a network such as `10.0.0.0/8` or `loopback`. */
function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const longest = isIP(address) === 4 ? 32 : 128;
  const isBits = bits === undefined || (/^\d+$/.test(bits) && Number(bits) >= 1 && Number(bits) <= longest);
  return NETWORK_NAMES.includes(text) || (isIP(address) > 0 && isBits && rest.length === 0);
}

const trustProxy = makeValidator<boolean | number | string>((value) => {
  if (value === 'true' || value === 'false') return value === 'true';
  if (/^\d+$/.test(value)) return Number(value);
  if (!listed(value).every(isNetwork)) {
    throw wrong(value, 'true, false, a number of proxies, or a comma-separated list of their addresses');
  }
  return value;
});

/** An address such as `9.9.9.9`, `9.9.9.9:53`, `2620:fe::fe` or `[2620:fe::fe]:53`. */
function isDnsServer(text: string): boolean {
  if (isIP(text) > 0) return true;
  const [, v4 = '', v6 = '', port = '53'] = /^(?:([\d.]+)|\[([^\]]+)\])(?::(\d+))?$/.exec(text) ?? [];
  // Node aborts the process over port 0.
  return (isIPv4(v4) || isIPv6(v6)) && Number(port) >= 1 && Number(port) <= 65535;
}

const dnsServers = makeValidator<string[]>((value) => {
  if (!listed(value).every(isDnsServer)) {
    throw wrong(
      value,
      'a comma-separated list of IP addresses, each with an optional port, such as 9.9.9.9:53',
    );
  }
  return listed(value);
});

function readValues(env: NodeJS.ProcessEnv) {
  return cleanEnv(
    env,
    {
      HOST: text({ default: '127.0.0.1' }),
      PORT: port({ default: 8000 }),
      DATA_DIR: text({ default: './data' }),
      DATABASE_URL: databaseUrl({ default: '' }),
      DATABASE_POOL_SIZE: wholeNumber(1, 1000)({ default: 10 }),
      SECRET_KEY: secretKeys({ default: [] }),
      PUBLIC_URL: publicUrl({ default: '' }),
      TRUST_PROXY: trustProxy({ default: false }),
      DEFAULT_PREFER: oneOf('minimal', 'representation')({ default: 'minimal' }),
      METRICS_PORT: port({ default: null as unknown as number }),
      CORS_ORIGINS: origins({ default: [] }),
      DNS_SERVERS: dnsServers({ default: [] }),
      ROLE: oneOf(...ROLES)({ default: 'all' }),
      WEB_CONCURRENCY: processes({ default: 1 }),
      EXPORT_DIR: text({ default: '' }),
      EXPORT_CONCURRENCY: wholeNumber(1, 100)({ default: 4 }),
      RUN_RETENTION_DAYS: wholeNumber(0, 36_500)({ default: 90 }),
      ALLOW_PRIVATE_DESTINATIONS: trueOrFalse({ default: env.NODE_ENV !== 'production' }),
      ALLOW_PRIVATE_PLUGIN_SOURCES: trueOrFalse({ default: false }),
      PLUGIN_DIR: text({ default: '' }),
      NPM_REGISTRY_URL: baseUrl({ default: '' }),
      GITHUB_API_URL: baseUrl({ default: 'https://api.github.com' }),
      GITHUB_TOKEN: token({ default: '' }),
      GITLAB_API_URL: baseUrl({ default: 'https://gitlab.com/api/v4' }),
      GITLAB_TOKEN: token({ default: '' }),
      PLUGIN_REPOSITORY_URL: fileUrl({ default: '' }),
      SMTP_URL: smtpUrl({ default: '' }),
      EMAIL_FROM: mailbox({ default: 'Hedgerow <hedgerow@localhost>' }),
      EMAIL_REPLY_TO: mailbox({ default: '' }),
      RATE_LIMIT_ENABLED: trueOrFalse({ default: false }),
      LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent')({ default: 'info' }),
      LOG_FORMAT: oneOf('json', 'pretty')({ default: process.stdout.isTTY ? 'pretty' : 'json' }),
      BOOTSTRAP_API_KEY: apiKey({ default: '' }),
      BOOTSTRAP_EMAIL: email({ default: 'admin@hedgerow.local' }),
      BOOTSTRAP_ORGANIZATION: name({ default: 'My organization' }),
    },
    {
      reporter: ({ errors }) => {
        const lines = Object.entries(errors).map(([name, error]) =>
          error instanceof EnvMissingError ? `${name} is missing.` : `${name}: ${(error as Error).message}.`,
        );
        if (lines.length > 0) throw new WrongSettings(lines.join('\n'));
      },
    },
  );
}
