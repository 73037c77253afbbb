import { Injectable, type PipeTransform } from '@nestjs/common';
import { Invalid } from '../../shared/domain/domain-error';
import { isObject, textCheck, typeName } from '../../shared/http/fields/index';
import type { PluginManifest } from '../domain/plugin';
import { LONGEST_FILENAME, MANIFEST } from '../domain/plugin-files';
import { MOST_FILES, type SourceEdit } from '../domain/plugin-source';
import { readEditedManifest } from '../manifest/manifest.reader';

const LONGEST_FILE = 900_000;

/** The body of `update_source`, and its document (PLUG-23). */
export const SOURCE_EDIT_SCHEMA = {
  type: 'object',
  description: 'New contents by file name; null deletes the file, and files that are not named stay.',
  maxProperties: MOST_FILES,
  additionalProperties: { type: 'string', nullable: true, maxLength: LONGEST_FILE },
  example: { 'index.ts': 'export function onEvent(event) {}', 'old.ts': null },
} as const;

export interface SourceEditRequest {
  readonly edit: SourceEdit;
  /** What the `plugin.json` of the edit says, if there is one. */
  readonly manifest: PluginManifest | null;
}

const checkName = textCheck({ max: LONGEST_FILENAME });
const checkContent = textCheck({ max: LONGEST_FILE, blank: true });

/** Reads the map of files; an error names the file to blame. */
@Injectable()
export class SourcePipe implements PipeTransform<unknown, SourceEditRequest> {
  transform(value: unknown): SourceEditRequest {
    const files = value ?? {};
    if (!isObject(files)) {
      throw new Invalid(
        null,
        'invalid_input',
        `Invalid data. Expected a dictionary, but got ${typeName(files)}.`,
      );
    }
    const entries = Object.entries(files);
    if (entries.length > MOST_FILES) {
      throw new Invalid(null, 'max_length', `Ensure there are no more than ${MOST_FILES} files.`);
    }
    const edit = new Map(entries.map(([name, content]) => [readName(name), readContent(name, content)]));
    const manifest = edit.get(MANIFEST) ?? null;
    return { edit, manifest: manifest === null ? null : readEditedManifest(manifest) };
  }
}

/** A path below the plugin: it must lead nowhere else when somebody unpacks the source. */
function readName(name: string): string {
  const segments = name.split('/');
  const relative = !name.includes('\\') && segments.every((segment) => !['', '.', '..'].includes(segment));
  const bad = checkName(name);
  if (bad) throw new Invalid(name.slice(0, LONGEST_FILENAME), bad.code, bad.detail);
  if (!relative) throw new Invalid(name, 'invalid_input', 'Not a relative path of a file.');
  return name;
}

function readContent(name: string, content: unknown): string | null {
  if (content === null) return null;
  const bad = checkContent(content);
  if (bad) throw new Invalid(name, bad.code, bad.detail);
  return content as string;
}
