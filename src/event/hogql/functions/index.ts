import { COMPARISONS, CONDITIONS, LOGIC, MISSING } from './comparisons';
import { CONVERSIONS } from './conversions';
import type { FunctionGroup, HogqlFunction } from './definition';
import { FUNCTIONS_OF_JSON } from './json';
import { FUNCTIONS_OF_NUMBERS } from './numbers';
import { FUNCTIONS_OF_ARRAYS, FUNCTIONS_OF_TEXT } from './texts';
import { FUNCTIONS_OF_TIME } from './times';

const GROUPS: readonly (readonly [title: string, group: FunctionGroup])[] = [
  ['Conversion', CONVERSIONS],
  ['Text', FUNCTIONS_OF_TEXT],
  ['Arrays of texts', FUNCTIONS_OF_ARRAYS],
  ['JSON', FUNCTIONS_OF_JSON],
  ['Numbers', FUNCTIONS_OF_NUMBERS],
  ['Time', FUNCTIONS_OF_TIME],
  ['Conditions', CONDITIONS],
  ['What is missing', MISSING],
  ['Comparisons', COMPARISONS],
  ['Logic', LOGIC],
];

const FUNCTIONS: ReadonlyMap<string, HogqlFunction> = new Map(
  GROUPS.flatMap(([, group]) => Object.entries(group)),
);

export const functionNamed = (name: string): HogqlFunction | undefined => FUNCTIONS.get(name);
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];

const SPELLINGS: ReadonlyMap<string, string> = new Map(
  FUNCTION_NAMES.map((name) => [name.toLowerCase(), name]),
);

/** As it is written here: `LOWER` is `lower`. What is unknown stays what it is. */
export const spelled = (name: string): string => SPELLINGS.get(name.toLowerCase()) ?? name;

/** All functions for people, as Markdown: what they take in parentheses. Those that only stand for syntax are not told. */
export function describeFunctions(): string {
  return GROUPS.map(([title, group]) => {
    const told = Object.entries(group).filter(([name]) => !name.startsWith('_'));
    return `- ${title}: ${told.map(([name, { parameters }]) => `\`${name}(${parameters})\``).join(', ')}`;
  }).join('\n');
}
