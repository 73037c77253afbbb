import { PatternInvalid, quoted } from './pattern';
import { parseSelector } from './selector';
import type { Matching, PropertyFilter, Step } from './step';

/** Compiles a regular expression, or throws PatternInvalid. Domains know no engine: `matching/regex.ts` has it. */
export type CompileRegex = (pattern: string) => unknown;

/**
 * Says which regular expression or selector of the steps is the first that does not compile, or null. An action with
 * one is kept; the step matches nothing (D21).
 */
export function bytecodeErrorOf(steps: readonly Step[], compileRegex: CompileRegex): string | null {
  for (const [index, step] of steps.entries()) {
    for (const { kind, place, text } of patternsOf(step)) {
      try {
        if (text === null) throw new PatternInvalid('it is not text');
        if (kind === 'selector') parseSelector(text);
        else compileRegex(text);
      } catch (error) {
        if (!(error instanceof PatternInvalid)) throw error;
        const shown = text === null ? '' : ` ${quoted(text)},`;
        return `Step ${index + 1}: the ${kind} of ${place},${shown} does not compile: ${error.message}.`;
      }
    }
  }
  return null;
}

interface Pattern {
  readonly kind: 'regular expression' | 'selector';
  /** Where in the step it stands. */
  readonly place: string;
  /** Null for a value that can be none. */
  readonly text: string | null;
}

function patternsOf(step: Step): Pattern[] {
  const regex = (place: string, text: string | null, matching: Matching | null): Pattern[] =>
    matching === 'regex' && text !== null ? [{ kind: 'regular expression', place, text }] : [];
  return [
    ...(step.selector === null
      ? []
      : [{ kind: 'selector', place: 'selector', text: step.selector } as const]),
    ...regex('text', step.text, step.text_matching),
    ...regex('href', step.href, step.href_matching),
    ...regex('url', step.url, step.url_matching),
    ...(step.properties ?? []).flatMap(patternsOfFilter),
  ];
}

/** A filter with several values holds if any does (MATCH-20): each must compile. */
function patternsOfFilter({ key, value, operator, type }: PropertyFilter): Pattern[] {
  const kind = kindOf(key, operator, type);
  if (!kind) return [];
  const place = `the property ${quoted(typeof key === 'string' ? key : '')}`;
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.map((one) => ({ kind, place, text: textOf(one) }));
}

/** What the value of a filter must be able to compile as; null when any value will do (MATCH-21, MATCH-28). */
function kindOf(key: unknown, operator: unknown, type: unknown): Pattern['kind'] | null {
  if (operator === 'regex' || operator === 'not_regex') return 'regular expression';
  const equality =
    operator === undefined || operator === null || operator === 'exact' || operator === 'is_not';
  return type === 'element' && key === 'selector' && equality ? 'selector' : null;
}

/** Numbers and booleans compare as their text (MATCH-27). */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
