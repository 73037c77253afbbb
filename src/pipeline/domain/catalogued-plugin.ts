export const MAINTAINERS = ['official', 'community'] as const;

/** A plugin that the public catalogue knows (PLUG-29). */
export interface CataloguedPlugin {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  readonly icon: string | null;
  readonly verified: boolean;
  readonly maintainer: (typeof MAINTAINERS)[number];
}

/** In characters. */
const LONGEST_NAME = 200;
const LONGEST_URL = 800;
const LONGEST_DESCRIPTION = 10_000;

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= longest;

const isAddress = (value: unknown): value is string =>
  isText(value, LONGEST_URL) && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** What each field of an entry must be; fields of other names are left out. */
const RULES: Readonly<Record<keyof CataloguedPlugin, (value: unknown) => boolean>> = {
  name: (value) => isText(value, LONGEST_NAME),
  url: isAddress,
  description: (value) => typeof value === 'string' && value.length <= LONGEST_DESCRIPTION,
  icon: (value) => value === null || isAddress(value),
  verified: (value) => typeof value === 'boolean',
  maintainer: (value) => MAINTAINERS.some((maintainer) => maintainer === value),
};

/** An entry that came from outside, or the name of the first field that is wrong. An icon may be missing. */
export function readCatalogued(entry: unknown): CataloguedPlugin | { readonly wrong: string } {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return { wrong: 'entry' };
  const given: Record<string, unknown> = { icon: null, ...entry };
  const names = Object.keys(RULES) as (keyof CataloguedPlugin)[];
  const wrong = names.find((name) => !RULES[name](given[name]));
  if (wrong !== undefined) return { wrong };
  return Object.fromEntries(names.map((name) => [name, given[name]])) as unknown as CataloguedPlugin;
}
