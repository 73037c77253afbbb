import { UnfitPlugin } from './plugin-errors';

/** In characters: what the name of a source file may have. */
export const LONGEST_FILENAME = 200;

/** What describes a plugin. */
export const MANIFEST = 'plugin.json';

const CODE = /\.(?:[cm]?[jt]sx?|json)$/i;
const LOCKS = ['package-lock.json', 'npm-shrinkwrap.json'];

/**
 * Whether a file of a package is part of the plugin's source: code and JSON, but neither what was installed nor what
 * is meant for tools. Everything else, such as pictures, is left behind.
 */
export function isSource(path: string): boolean {
  const segments = path.split('/');
  return (
    CODE.test(path) &&
    !segments.some((segment) => segment.startsWith('.') || segment === 'node_modules') &&
    !LOCKS.includes(segments.at(-1) ?? '')
  );
}

/** @throws UnfitPlugin for what is no text, which no code and no JSON may be. */
export function textOf(path: string, content: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(content);
    if (!text.includes('\0')) return text;
  } catch {
    // Not UTF-8: told below.
  }
  throw new UnfitPlugin(`The file ${path} of the plugin is no text.`);
}

export const inFolder = (folder: string, path: string): boolean => path.startsWith(`${folder}/`);

/** The folder that all files are in, as archives have one at their top; none when `plugin.json` is beside it. */
export function topFolder(files: ReadonlyMap<string, string>): string {
  const [first = '', ...others] = [...files.keys()].map((path) => path.split('/').slice(0, 1).join());
  const isShared = first !== '' && others.every((name) => name === first) && !files.has(first);
  return isShared && !files.has(MANIFEST) ? first : '';
}

/** The files below a folder, by their path from there. @throws UnfitPlugin for a path of more than 200 characters. */
export function relativeTo(folder: string, files: ReadonlyMap<string, string>): Map<string, string> {
  const skipped = folder === '' ? 0 : folder.length + 1;
  const found = [...files].filter(([path]) => folder === '' || inFolder(folder, path));
  return new Map(
    found.map(([path, text]) => {
      const name = path.slice(skipped);
      if ([...name].length > LONGEST_FILENAME) {
        throw new UnfitPlugin(
          `The plugin has a file whose path is longer than ${LONGEST_FILENAME} characters.`,
        );
      }
      return [name, text];
    }),
  );
}
