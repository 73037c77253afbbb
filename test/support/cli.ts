import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

/** As TestApi has it. */
export const SECRET_KEY = 'a secret key for tests and for tests alone';

// biome-ignore lint/suspicious/noExplicitAny: tests look into what a command says in JSON
type Json = any;

/** How a command ended, and what it said. */
export class CliResult {
  constructor(
    readonly code: number | null,
    readonly out: string,
    readonly err: string,
  ) {}

  /** The one JSON document on standard output. */
  get json(): Json {
    return JSON.parse(this.out);
  }

  /** The rows of a table, without the headings: each as its cells. */
  get rows(): string[][] {
    return this.out
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/));
  }
}

/** The operator's commands, each in a process of its own, as `npx hedgerow` runs it. */
export class Cli {
  /** All that was said by all of them. */
  said = '';

  /** `env` alone is what they see besides PATH. */
  constructor(private readonly env: NodeJS.ProcessEnv) {}

  async run(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CliResult> {
    const child = spawn(
      process.execPath,
      ['-r', join(ROOT, 'test/support/register.js'), join(ROOT, 'src/cli/main.ts'), ...words],
      { cwd: ROOT, env: { PATH: process.env.PATH, ...this.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const texts = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      texts.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      texts.err += text;
    });
    const [code] = (await once(child, 'close')) as [number | null];
    this.said += texts.out + texts.err;
    return new CliResult(code, texts.out, texts.err);
  }

  /** With `--json`. @throws Error when it fails */
  async json(...words: string[]): Promise<Json> {
    const result = await this.run([...words, '--json']);
    if (result.code !== 0) throw new Error(`hedgerow ${words.join(' ')}: ${result.err || result.out}`);
    expect(result.err).toBe('');
    return result.json;
  }

  /** What a command that fails says, in one line. */
  async failure(...words: string[]): Promise<string> {
    const { code, out, err } = await this.run(words);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^hedgerow: [^\n]+\n$/);
    return err.slice('hedgerow: '.length).trimEnd();
  }
}
