import { Injectable } from '@nestjs/common';
import type { Loader, Message, TransformFailure, TransformOptions } from 'esbuild';
import { CurrentRequest } from '../../shared/request/current-request';
import { Turns } from '../../shared/turns/turns';

/** In characters: what is longer is no hand-written TypeScript, and deep nesting would cost esbuild a gigabyte. */
const LONGEST = 100_000;

export type Transpiled = { readonly code: string } | { readonly error: string };

const LOADERS: readonly (readonly [RegExp, Loader])[] = [
  [/\.[cm]?ts$/i, 'ts'],
  [/\.tsx$/i, 'tsx'],
  [/\.jsx$/i, 'jsx'],
];

/** Turns TypeScript and JSX into JavaScript, with esbuild, which runs as a process of its own once it is needed. */
@Injectable()
export class Transpiler {
  /** In milliseconds: of some texts esbuild never makes an end. */
  protected readonly patience: number = 5_000;
  private readonly turns = new Turns(1, 1);

  constructor(private readonly current: CurrentRequest) {}

  /** Whether a file is more than plain JavaScript. */
  takes(filename: string): boolean {
    return LOADERS.some(([pattern]) => pattern.test(filename));
  }

  /** One after the other: together, texts that are made to be hard would take too much. */
  async transpile(filename: string, source: string): Promise<Transpiled> {
    if (source.length > LONGEST) return { error: `The file has more than ${LONGEST} characters.` };
    const loader = LOADERS.find(([pattern]) => pattern.test(filename))?.[1] ?? 'js';
    return this.turns.take(this.current.owner, null, () =>
      this.transform(source, { loader, sourcefile: filename }),
    );
  }

  private async transform(source: string, options: TransformOptions): Promise<Transpiled> {
    let esbuild: typeof import('esbuild') | undefined;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('it takes too long')), this.patience);
    });
    try {
      esbuild = (await import('esbuild')).default;
      const work = esbuild.transform(source, { ...options, target: 'es2022', logLevel: 'silent' });
      const { code } = await Promise.race([work, patience]);
      return { code };
    } catch (error) {
      const [wrong] = (error as Partial<TransformFailure>).errors ?? [];
      if (wrong) return { error: messageOf(wrong) };
      // The process died, or does not end: the next text gets a new one.
      await esbuild?.stop();
      return { error: `The file could not be transpiled: ${(error as Error).message}.` };
    } finally {
      clearTimeout(timer);
    }
  }
}

const messageOf = ({ text, location }: Message): string =>
  location ? `Line ${location.line}, column ${location.column + 1}: ${text}` : text;
