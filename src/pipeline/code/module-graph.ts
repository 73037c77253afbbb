import { posix } from 'node:path';
import { type Options, type Program, parse } from 'acorn';
import { ModuleExports } from './module-exports';
import { Transpiler } from './transpiler';
import { ALL, type Value } from './values';

/** In characters: reading more would keep the server from its other work. */
const LONGEST = 1_000_000;
/** How many files are read, and how far one is followed into others. */
const MOST_FILES = 50;
const DEEPEST = 20;

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

/** The modules of one plugin, read when they are needed, and never executed. */
export class ModuleGraph {
  private readonly modules = new Map<string, ModuleExports>();

  constructor(
    private readonly files: ReadonlyMap<string, string>,
    private readonly transpiler: Transpiler,
  ) {}

  /** Everything that a file exports, by name. What comes from elsewhere is there, but nothing is known of it. @throws CodeUnreadable */
  async exportsOf(filename: string, depth = 0): Promise<ReadonlyMap<string, Value>> {
    const module = await this.module(filename);
    const all = new Map<string, Value>();
    for (const from of depth < DEEPEST ? module.passedOn : []) {
      const file = this.resolve(filename, from);
      if (!file) continue;
      for (const name of (await this.exportsOf(file, depth + 1)).keys()) {
        if (name !== 'default') all.set(name, { kind: 'import', from, name });
      }
    }
    for (const [name, value] of module.exported) all.set(name, value);
    return all;
  }

  /** What a value of a file stands for in the end: never a name or an import. @throws CodeUnreadable */
  async settle(filename: string, value: Value, depth = 0): Promise<Value> {
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
      return file && found ? this.settle(file, found, depth + 1) : something;
    }
    return value;
  }

  private resolve(filename: string, from: string): string | null {
    return /^\.\.?(?:\/|$)/.test(from)
      ? findModule(this.files, posix.join(posix.dirname(filename), from))
      : null;
  }

  private async module(filename: string): Promise<ModuleExports> {
    const known = this.modules.get(filename);
    if (known) return known;
    if (this.modules.size >= MOST_FILES)
      throw new CodeUnreadable(filename, 'Too many files refer to one another.');
    const module = new ModuleExports(await this.parse(filename));
    this.modules.set(filename, module);
    return module;
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
    try {
      return parsed(code);
    } catch (error) {
      throw new CodeUnreadable(filename, error instanceof Error ? error.message : String(error));
    }
  }
}

/** As a module, or else as a script, which may do a few things that modules must not. */
function parsed(code: string): Program {
  const options: Omit<Options, 'sourceType'> = {
    ecmaVersion: 'latest',
    allowHashBang: true,
    allowReturnOutsideFunction: true,
  };
  try {
    return parse(code, { ...options, sourceType: 'module' });
  } catch (error) {
    try {
      return parse(code, { ...options, sourceType: 'script' });
    } catch {
      throw error;
    }
  }
}
