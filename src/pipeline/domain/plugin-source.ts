import { Invalid } from '../../shared/domain/domain-error';
import type { Capabilities } from './capabilities';

export const MOST_FILES = 100;
/** Of all files of a plugin together, in characters as JavaScript counts them. */
const LARGEST_SOURCE = 5_000_000;

/** The plugin would have more source than a plugin may have. */
export class TooMuchSource extends Invalid {
  constructor(detail: string) {
    super(null, 'max_length', detail);
  }
}

/** What became of a file that was compiled: code for the browser, or why there is none. */
export interface Outcome {
  readonly transpiled: string | null;
  readonly error: string | null;
}

/** What follows from a plugin's source. */
export interface Compilation {
  /** By file name, of the files that something became of. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Null when there is no code for the server; `{}` when there is, and it does not parse. */
  readonly capabilities: Capabilities | Record<string, never> | null;
}

/** One file of a plugin's source. */
export class SourceFile {
  private status: 'TRANSPILED' | 'ERROR' | null = null;
  private transpiled: string | null = null;
  private error: string | null = null;

  constructor(
    readonly pluginId: number,
    /** A path relative to the plugin, such as `src/index.ts`. */
    readonly filename: string,
    readonly content: string,
    private readonly updatedAt: Date,
  ) {}

  /** @returns whether it is something else than before. */
  compiled({ transpiled, error }: Outcome): boolean {
    const before = [this.status, this.transpiled, this.error];
    this.status = error !== null ? 'ERROR' : transpiled !== null ? 'TRANSPILED' : null;
    this.transpiled = transpiled;
    this.error = error;
    return before.some((value, index) => value !== [this.status, transpiled, error][index]);
  }
}

/** New contents by file name; null deletes the file, and files that are not named stay (PLUG-23). */
export type SourceEdit = ReadonlyMap<string, string | null>;

/** What became of a file. */
export interface FileChange {
  readonly filename: string;
  readonly action: 'created' | 'changed' | 'deleted';
}

/** A plugin's source: its files, by name. They are kept as they came, and run nowhere. */
export class PluginSource {
  private readonly files: Map<string, SourceFile>;

  constructor(
    private readonly pluginId: number,
    files: readonly SourceFile[],
  ) {
    this.files = new Map(files.map((file) => [file.filename, file]));
  }

  /** @throws TooMuchSource past 100 files or 5,000,000 characters. */
  static requireFits(files: ReadonlyMap<string, string>): void {
    refuseTooMuchSource(
      files.size,
      [...files.values()].reduce((sum, content) => sum + content.length, 0),
    );
  }

  /**
   * @returns what changed; files that are what they were before are left out.
   * @throws TooMuchSource past 100 files or 5,000,000 characters.
   */
  edit(edit: SourceEdit, at: Date): FileChange[] {
    const changes: FileChange[] = [];
    for (const [filename, content] of edit) {
      const old = this.files.get(filename);
      if (content === (old?.content ?? null)) continue;
      if (content === null) this.files.delete(filename);
      else this.files.set(filename, new SourceFile(this.pluginId, filename, content, at));
      changes.push({ filename, action: content === null ? 'deleted' : old ? 'changed' : 'created' });
    }
    PluginSource.requireFits(this.contents);
    return changes;
  }

  /** Has these files and no others. @returns what changed. @throws TooMuchSource */
  replace(files: ReadonlyMap<string, string>, at: Date): FileChange[] {
    const gone = [...this.files.keys()].filter((filename) => !files.has(filename));
    return this.edit(new Map([...gone.map((filename) => [filename, null] as const), ...files]), at);
  }

  /** Notes what became of each file. @returns the names of those for which that is something else than before. */
  compiled({ outcomes }: Compilation): string[] {
    const nothing: Outcome = { transpiled: null, error: null };
    return [...this.files.values()]
      .filter((file) => file.compiled(outcomes.get(file.filename) ?? nothing))
      .map(({ filename }) => filename);
  }

  get contents(): ReadonlyMap<string, string> {
    return new Map([...this.files.values()].map(({ filename, content }) => [filename, content]));
  }

  file(filename: string): SourceFile | null {
    return this.files.get(filename) ?? null;
  }
}

/** @throws TooMuchSource past 100 files or 5,000,000 characters, as JavaScript counts them. */
export function refuseTooMuchSource(files: number, characters: number): void {
  if (files > MOST_FILES) {
    throw new TooMuchSource(`Ensure the plugin has no more than ${MOST_FILES} source files.`);
  }
  if (characters > LARGEST_SOURCE) {
    throw new TooMuchSource(`Ensure the plugin's source has no more than ${LARGEST_SOURCE} characters.`);
  }
}
