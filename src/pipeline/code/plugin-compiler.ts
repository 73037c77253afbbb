import { Injectable } from '@nestjs/common';
import { type Capabilities, capabilitiesOf } from '../domain/capabilities';
import { MANIFEST } from '../domain/plugin-files';
import type { Compilation } from '../domain/plugin-source';
import { CodeUnreadable, findModule, ModuleGraph } from './module-graph';
import { ModuleParser } from './module-parser';
import { Transpiler } from './transpiler';

/** The files that run in the browser (PLUG-25). */
const BROWSER_FILES = ['frontend.tsx', 'site.ts'];
const MAIN_FILES = ['index.ts', 'index.js'];

/** Works out what follows from a plugin's source. Nothing of it is executed. */
@Injectable()
export class PluginCompiler {
  constructor(
    private readonly transpiler: Transpiler,
    private readonly parser: ModuleParser,
  ) {}

  /** Never fails: what does not compile is told in the result. */
  async compile(files: ReadonlyMap<string, string>): Promise<Compilation> {
    const outcomes = new Map<string, { transpiled: string | null; error: string | null }>();
    for (const filename of BROWSER_FILES) {
      const source = files.get(filename);
      if (source === undefined) continue;
      const result = await this.transpiler.transpile(filename, source);
      outcomes.set(
        filename,
        'error' in result
          ? { transpiled: null, error: result.error }
          : { transpiled: result.code, error: null },
      );
    }
    try {
      return { outcomes, capabilities: await this.capabilitiesOf(files) };
    } catch (error) {
      if (!(error instanceof CodeUnreadable)) throw error;
      outcomes.set(error.filename, { transpiled: null, error: error.message });
      return { outcomes, capabilities: {} };
    }
  }

  private async capabilitiesOf(files: ReadonlyMap<string, string>): Promise<Capabilities | null> {
    const filename = mainFileOf(files);
    if (filename === null) return null;
    const graph = new ModuleGraph(files, this.transpiler, this.parser);
    const exported = new Set<string>();
    let jobs: string[] = [];
    for (const [name, found] of await graph.exportsOf(filename)) {
      const settled = await graph.settle(found.filename, found.value);
      if (settled.kind !== 'nothing') exported.add(name);
      if (name !== 'jobs' || settled.kind !== 'object') continue;
      jobs = [...settled.properties].flatMap(([job, { kind }]) => (kind === 'nothing' ? [] : [job]));
    }
    return capabilitiesOf(exported, jobs);
  }
}

/** The file that the server would start a plugin with; null for one that has nothing to run there. */
export function mainFileOf(files: ReadonlyMap<string, string>): string | null {
  for (const path of [mainOf(files.get(MANIFEST)), ...MAIN_FILES]) {
    const filename = path === null ? null : findModule(files, path);
    if (filename !== null) return filename;
  }
  return null;
}

/** What `plugin.json` says is the main file, if it says so. */
function mainOf(manifest: string | undefined): string | null {
  try {
    const { main } = JSON.parse(manifest ?? '') as { main?: unknown };
    return typeof main === 'string' && main !== '' ? main : null;
  } catch {
    return null;
  }
}
