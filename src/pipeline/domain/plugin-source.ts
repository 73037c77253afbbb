import { Invalid } from '../../shared/domain/domain-error';

export const MOST_FILES = 100;
/** Of all files of a plugin together, in characters as JavaScript counts them. */
const LARGEST_SOURCE = 5_000_000;

/** The plugin would have more source than a plugin may have. */
export class TooMuchSource extends Invalid {
  constructor(detail: string) {
    super(null, 'max_length', detail);
  }
}

/** One file of a plugin's source. */
export class SourceFile {
  constructor(
    readonly pluginId: number,
    /** A path relative to the plugin, such as `src/index.ts`. */
    readonly filename: string,
    readonly content: string,
    private readonly updatedAt: Date,
  ) {}
}

/** New contents by file name; null deletes the file, and files that are not named stay (PLUG-23). */
export type SourceEdit = ReadonlyMap<string, string | null>;

/** What became of a file. */
export interface FileChange {
  readonly filename: string;
  readonly action: 'created' | 'changed' | 'deleted';
}

/** A plugin's source: its files, by name. They are kept as they came and run nowhere yet. */
export class PluginSource {
  private readonly files: Map<string, SourceFile>;

  constructor(
    private readonly pluginId: number,
    files: readonly SourceFile[],
  ) {
    this.files = new Map(files.map((file) => [file.filename, file]));
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
    this.refuseTooMuch();
    return changes;
  }

  file(filename: string): SourceFile | null {
    return this.files.get(filename) ?? null;
  }

  private refuseTooMuch(): void {
    if (this.files.size > MOST_FILES) {
      throw new TooMuchSource(`Ensure the plugin has no more than ${MOST_FILES} source files.`);
    }
    const size = [...this.files.values()].reduce((sum, { content }) => sum + content.length, 0);
    if (size > LARGEST_SOURCE) {
      throw new TooMuchSource(`Ensure the plugin's source has no more than ${LARGEST_SOURCE} characters.`);
    }
  }
}
