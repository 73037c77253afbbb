import { posix } from 'node:path';
import type { Program } from 'acorn';
import { ModuleExports } from './module-exports';
import { type ModuleParser, ParserTime } from './module-parser';
import type { Transpiler } from './transpiler';
import { ALL, type Value } from './values';

/** In characters: reading more would keep the server from its other work. */
const LONGEST = 1_000_000;
/** How many files are read, and how far a value is followed. */
const MOST_FILES = 50;
const DEEPEST = 20;
/** Names that are looked up and passed on, all files together: a short text can ask for any number. */
const MOST_STEPS = 100_000;
/** In characters: working out where a longer one leads costs more than any file's name is worth. */
const LONGEST_REFERENCE = 1_000;

const EXTENSIONS = ['.ts', '.tsx', '.js', '.jsx', '.mts', '.cts', '.mjs', '.cjs'];

/** The file that a path means, with or without its extension; null when there is none. */
export function findModule(files: ReadonlyMap<string, string>, path: string): string | null {
  const normal = posix.normalize(path);
  const bare = normal.replace(/\.[cm]?[jt]sx?$/, '');
  const candidates = [
    normal,
    ...EXTENSIONS.flatMap((extension) => [normal + extension, bare + extension]),
    ...EXTENSIONS.map((extension) => posix.join(normal, `index${extension}`)),
  ];
  return candidates.find((candidate) => files.has(candidate)) ?? null;
}

/** A file of a plugin does not parse. */
export class CodeUnreadable extends Error {
  constructor(
    readonly filename: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** A value, and the file whose text it is to be understood in. */
export interface Exported {
  readonly filename: string;
  readonly value: Value;
}

/** The modules of one plugin, read when they are needed, and never executed. */
export class ModuleGraph {
  private readonly modules = new Map<string, ModuleExports>();
  private readonly exports = new Map<string, ReadonlyMap<string, Exported>>();
  private readonly resolved = new Map<string, string | null>();
  private readonly time = new ParserTime();
  private steps = 0;

  constructor(
    private readonly files: ReadonlyMap<string, string>,
    private readonly transpiler: Transpiler,
    private readonly parser: ModuleParser,
  ) {}

  /** Everything that a file exports, by name, wherever it is written. @throws CodeUnreadable */
  async exportsOf(filename: string): Promise<ReadonlyMap<string, Exported>> {
    const known = this.exports.get(filename);
    if (known) return known;
    const all = new Map<string, Exported>();
    const seen = new Set<string>();
    // Files may pass one another on in circles. Of one name, what is passed on last counts: it comes first.
    const ahead = [filename];
    for (let file = ahead.pop(); file !== undefined; file = ahead.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      const { exported, passedOn } = await this.module(file);
      for (const [name, value] of exported) {
        this.step(filename);
        if (!all.has(name) && (name !== 'default' || file === filename))
          all.set(name, { filename: file, value });
      }
      for (const from of passedOn) {
        this.step(filename);
        const next = this.resolve(file, from);
        if (next) ahead.push(next);
      }
    }
    this.exports.set(filename, all);
    return all;
  }

  /** What a value of a file stands for in the end: never a name or an import. @throws CodeUnreadable */
  async settle(filename: string, value: Value, depth = 0): Promise<Value> {
    this.step(filename);
    const something: Value = { kind: 'something' };
    if (depth > DEEPEST) return something;
    if (value.kind === 'name') {
      const meant = (await this.module(filename)).names.get(value.name);
      if (!meant) return something;
      if (value.property === null) return this.settle(filename, meant, depth + 1);
      if (meant.kind === 'import' && meant.name === ALL) {
        return this.settle(filename, { ...meant, name: value.property }, depth + 1);
      }
      const object = await this.settle(filename, meant, depth + 1);
      const property = object.kind === 'object' ? object.properties.get(value.property) : undefined;
      return property ? this.settle(filename, property, depth + 1) : something;
    }
    if (value.kind === 'import') {
      const file = this.resolve(filename, value.from);
      const found = file ? (await this.exportsOf(file)).get(value.name) : undefined;
      return found ? this.settle(found.filename, found.value, depth + 1) : something;
    }
    return value;
  }

  private resolve(filename: string, from: string): string | null {
    if (from.length > LONGEST_REFERENCE || !/^\.\.?(?:\/|$)/.test(from)) return null;
    const path = `${posix.dirname(filename)}/${from}`;
    const known = this.resolved.get(path);
    if (known !== undefined) return known;
    const file = findModule(this.files, path);
    this.resolved.set(path, file);
    return file;
  }

  private step(filename: string): void {
    this.steps += 1;
    if (this.steps > MOST_STEPS) throw new CodeUnreadable(filename, 'Too many names are exported.');
  }

  private async module(filename: string): Promise<ModuleExports> {
    const known = this.modules.get(filename);
    if (known) return known;
    if (this.modules.size >= MOST_FILES)
      throw new CodeUnreadable(filename, 'Too many files refer to one another.');
    const module = this.read(filename, await this.parse(filename));
    this.modules.set(filename, module);
    return module;
  }

  private read(filename: string, program: Program): ModuleExports {
    try {
      return new ModuleExports(program, () => this.step(filename));
    } catch (error) {
      // What the parser goes through in a loop, such as `a.b.c`, can be deeper than the stack reaches.
      if (error instanceof RangeError) throw new CodeUnreadable(filename, 'The code is nested too deeply.');
      throw error;
    }
  }

  private async parse(filename: string): Promise<Program> {
    let code = this.files.get(filename) ?? '';
    if (this.transpiler.takes(filename)) {
      const transpiled = await this.transpiler.transpile(filename, code);
      if ('error' in transpiled) throw new CodeUnreadable(filename, transpiled.error);
      code = transpiled.code;
    }
    if (code.length > LONGEST)
      throw new CodeUnreadable(filename, `The file has more than ${LONGEST} characters.`);
    const parsed = await this.parser.parse(code, this.time);
    if ('error' in parsed) throw new CodeUnreadable(filename, parsed.error);
    return parsed.program;
  }
}
