import { satisfies, validRange } from 'semver';
import { Invalid } from '../../shared/domain/domain-error';
import { BodyPipe } from '../../shared/http/body.pipe';
import { Bool, isObject, JsonObject, Text, typeName } from '../../shared/http/fields/index';
import type { Json, PluginManifest, ReleaseManifest } from '../domain/plugin';
import { NoPluginManifest, UnfitPlugin } from '../domain/plugin-errors';
import { MANIFEST } from '../domain/plugin-files';

/** The last version of PostHog that could be installed, and so the one whose plugins this server takes (PLUG-13). */
export const POSTHOG_VERSION = '1.43.0';

/** In characters: it is answered with every plugin of a list. */
const LARGEST = 256 * 1024;

/** What a `plugin.json` says that is edited by itself (PLUG-24). */
class EditedManifest {
  @Text({ max: 200, blank: true, description: 'Name.', example: 'Hello world' })
  name?: string;

  @JsonObject({ orList: true, description: 'The settings that the plugin asks for.', example: {} })
  config?: Json | Json[];
}

/** What a `plugin.json` says that comes with a whole plugin (PLUG-09). */
class PackagedManifest {
  @Text({ max: 200, required: true, description: 'Name.', example: 'Hello world' })
  name!: string;

  @Text({ max: 10_000, blank: true, nullable: true, description: 'What the plugin does.', example: '' })
  description?: string | null;

  @Text({ max: 800, blank: true, nullable: true, description: 'Address of a picture.', example: null })
  icon?: string | null;

  @JsonObject({ orList: true, nullable: true, description: 'The settings that it asks for.', example: {} })
  config?: Json | Json[] | null;

  @JsonObject({ nullable: true, description: 'The jobs that people may start.', example: {} })
  publicJobs?: Json | null;

  @Text({
    max: 200,
    blank: true,
    nullable: true,
    description: 'The versions it runs with.',
    example: '>=1.25',
  })
  posthogVersion?: string | null;

  @Text({ max: 200, blank: true, nullable: true, description: 'The main file.', example: 'index.ts' })
  main?: string | null;

  @Bool({ nullable: true, description: 'Whether it keeps nothing between events.', example: false })
  stateless?: boolean | null;
}

const bodies = new BodyPipe();

/** The `plugin.json` of an edit of the source. @throws Invalid that blames `plugin.json` */
export function readEditedManifest(text: string): PluginManifest {
  const { name, config } = read(
    text,
    EditedManifest,
    (detail) => new Invalid(MANIFEST, 'invalid_input', detail),
  );
  return { name, configSchema: config };
}

/** The `plugin.json` among the files of a plugin. @throws NoPluginManifest, UnfitPlugin (PLUG-12, PLUG-13) */
export function readManifest(files: ReadonlyMap<string, string>): ReleaseManifest {
  const text = files.get(MANIFEST);
  if (text === undefined) throw new NoPluginManifest();
  if (text.length > LARGEST) throw unfit(`Ensure this file has no more than ${LARGEST} characters.`);
  const manifest = read(text, PackagedManifest, unfit);
  requireVersion(manifest.posthogVersion ?? null);
  if (manifest.stateless && Object.keys(manifest.config ?? {}).length > 0) {
    throw new UnfitPlugin('Stateless plugins cannot have a config!');
  }
  return {
    name: manifest.name,
    description: manifest.description,
    icon: manifest.icon,
    configSchema: manifest.config ?? {},
    publicJobs: manifest.publicJobs ?? {},
  };
}

const unfit = (detail: string): Invalid => new UnfitPlugin(`${MANIFEST}: ${detail}`);

function read<T extends object>(text: string, of: new () => T, malformed: (detail: string) => Invalid): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw malformed('JSON parse error.');
  }
  if (!isObject(json)) throw malformed(`Expected a dictionary, but got ${typeName(json)}.`);
  try {
    return bodies.transform(json, { type: 'body', metatype: of }) as T;
  } catch (error) {
    throw error instanceof Invalid ? malformed(`${error.attr}: ${error.message}`) : error;
  }
}

/** PLUG-13. Python's notation, in which PostHog read it, has commas between what must all hold. */
function requireVersion(required: string | null): void {
  if (required === null) return;
  const range = validRange(required.replaceAll(',', ' '));
  if (range === null || required.trim() === '') {
    throw new UnfitPlugin(`Invalid PostHog semantic version requirement "${required}"!`);
  }
  if (!satisfies(POSTHOG_VERSION, range)) {
    throw new UnfitPlugin(
      `Currently running PostHog version ${POSTHOG_VERSION} does not match this plugin's semantic version ` +
        `requirement "${required}".`,
    );
  }
}
