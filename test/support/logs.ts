/** Shorter ones stand in other words by chance. */
const SHORTEST_SECRET = 8;

/** Fields of bodies whose values are secrets wherever they stand. */
const SECRET_FIELD = /password|secret|token$|private_key|access_key/i;

/** What a project has for web pages to send events with is no secret. */
const PUBLIC_FIELD = 'api_token';

const SIGNUP = /\/signup\/(\w{20,})\//;

/** A line of the log. */
export interface Entry {
  readonly level: number;
  readonly msg: string;
  readonly context?: string;
  readonly req?: { readonly id: string; readonly method: string; readonly path: string };
  readonly res?: { readonly status: number | null };
  readonly responseTime?: number;
  readonly err?: {
    readonly type: string;
    readonly message: string;
    readonly stack: string;
    readonly code?: unknown;
  };
}

/**
 * What the servers of a test file log, at the finest level, and every secret that the tests use: none may be in it.
 * With TEST_LOG set, the log is shown as well.
 */
class Logs {
  private lines: string[] = [];
  private readonly secrets = new Set<string>();

  /** Where pino writes to. */
  readonly stream = {
    write: (line: string): void => {
      this.lines.push(line);
      if (process.env.TEST_LOG) process.stderr.write(line);
    },
  };

  /** What was logged since the last search. */
  get entries(): Entry[] {
    return this.lines.map((line) => JSON.parse(line) as Entry);
  }

  /** Of those, one for each request. */
  get requests(): Entry[] {
    return this.entries.filter(({ res }) => res !== undefined);
  }

  hide(secret: string | null | undefined): void {
    if (secret && secret.length >= SHORTEST_SECRET) this.secrets.add(secret);
  }

  /** The secrets in a body that is sent or answered. */
  hideIn(body: unknown, name = ''): void {
    if (typeof body === 'object' && body !== null) {
      for (const [field, value] of Object.entries(body)) this.hideIn(value, field);
    } else if (typeof body === 'string') {
      const isSecret = (SECRET_FIELD.test(name) && name !== PUBLIC_FIELD) || body.startsWith('phx_');
      if (isSecret && body.trim() === body) this.hide(body);
    }
  }

  /** The secret of an invite, where a link or path has one. */
  hideLink(text: string | null): void {
    this.hide(text === null ? null : SIGNUP.exec(text)?.[1]);
  }

  /** Forgets what was logged. @throws Error when a secret is in it */
  search(): void {
    const lines = this.lines;
    this.lines = [];
    const text = lines.join('');
    for (const secret of this.secrets) {
      if (!text.includes(secret)) continue;
      const line = lines.find((each) => each.includes(secret)) ?? '';
      throw new Error(`The secret ${JSON.stringify(secret)} of a test is in the log: ${line}`);
    }
  }
}

export const logs = new Logs();
