import { Injectable, type PipeTransform } from '@nestjs/common';
import { Invalid } from '../../shared/domain/domain-error';
import { BodyPipe } from '../../shared/http/body.pipe';
import { isObject, JsonObject, Text, textCheck, typeName } from '../../shared/http/fields/index';
import type { Json, PluginManifest } from '../domain/plugin';
import { MOST_FILES, type SourceEdit } from '../domain/plugin-source';

const LONGEST_NAME = 200;
const LONGEST_FILE = 900_000;
const MANIFEST = 'plugin.json';

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

const checkName = textCheck({ max: LONGEST_NAME });
const checkContent = textCheck({ max: LONGEST_FILE, blank: true });

/** Reads the map of files; an error names the file to blame. */
@Injectable()
export class SourcePipe implements PipeTransform<unknown, SourceEditRequest> {
  private readonly bodies = new BodyPipe();

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
    return { edit, manifest: manifest === null ? null : this.readManifest(manifest) };
  }

  private readManifest(text: string): PluginManifest {
    try {
      const json: unknown = JSON.parse(text);
      if (!isObject(json)) throw malformed(`Expected a dictionary, but got ${typeName(json)}.`);
      const body = this.bodies.transform(json, { type: 'body', metatype: ManifestFields });
      const { name, config } = body as ManifestFields;
      return { name, configSchema: config };
    } catch (error) {
      if (error instanceof SyntaxError) throw malformed('JSON parse error.');
      if (error instanceof Invalid && error.attr !== MANIFEST)
        throw malformed(`${error.attr}: ${error.message}`);
      throw error;
    }
  }
}

/** The fields of `plugin.json` that the plugin takes over (PLUG-24). */
class ManifestFields {
  @Text({ max: 200, blank: true, description: 'Name.', example: 'Hello world' })
  name?: string;

  @JsonObject({ orList: true, description: 'The settings that the plugin asks for.', example: {} })
  config?: Json | Json[];
}

/** A path below the plugin: it must lead nowhere else when somebody unpacks the source. */
function readName(name: string): string {
  const segments = name.split('/');
  const relative = !name.includes('\\') && segments.every((segment) => !['', '.', '..'].includes(segment));
  const bad = checkName(name);
  if (bad) throw new Invalid(name.slice(0, LONGEST_NAME), bad.code, bad.detail);
  if (!relative) throw new Invalid(name, 'invalid_input', 'Not a relative path of a file.');
  return name;
}

function readContent(name: string, content: unknown): string | null {
  if (content === null) return null;
  const bad = checkContent(content);
  if (bad) throw new Invalid(name, bad.code, bad.detail);
  return content as string;
}

const malformed = (detail: string): Invalid => new Invalid(MANIFEST, 'invalid_input', detail);
