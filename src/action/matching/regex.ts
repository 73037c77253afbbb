import { RE2JS, RE2JSException } from 're2js';
import { PatternInvalid } from '../domain/pattern';

/** In characters. */
const LONGEST = 1_000;
/** For all regular expressions of an action together; see `weightOf`. About a second's work at the very worst. */
const HEAVIEST = 10_000;
/** Folding the case of a wide class costs far more than its length tells. */
const CASE_FOLDING = 10;
const LARGEST_COUNT = 1_000;

/**
 * A compiler of RE2 expressions (MATCH-06) for one action: what it compiled counts, so that no action can keep the
 * server busy. It throws PatternInvalid for what RE2 does not understand and for what is too large.
 */
export function regexCompiler(): (pattern: string) => RE2JS {
  let weight = 0;
  return (pattern) => {
    if (pattern.length > LONGEST) throw new PatternInvalid(`it is longer than ${LONGEST} characters`);
    const together = weight + weightOf(pattern);
    if (together > HEAVIEST) throw new PatternInvalid('the regular expressions of the action are too large');
    // One that is refused weighs nothing: the other steps go on matching.
    weight = together;
    try {
      return RE2JS.compile(pattern);
    } catch (error) {
      throw new PatternInvalid(reasonOf(error));
    }
  };
}

/** Whatever the engine fails with, it is the expression's doing and must not become the server's failure. */
const reasonOf = (error: unknown): string =>
  error instanceof RE2JSException
    ? error.message.replace(/^error parsing regexp: /, '').slice(0, 300)
    : 'RE2 cannot read it';

/**
 * What leaves a counted repetition after it to what was before; quoted text, a class, an escape, a counted
 * repetition, or any other character.
 */
const TOKEN =
  /(?<transparent>[*+?]|\\Q\\E|\(\?[\w-]*\))|\\Q.*?(?:\\E|$)|\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\\\]])*\]|\\[pPx]\{[^}]*\}|\\.|\{(?<least>\d+)(?:,(?<most>\d*))?\}|./gsu;

/**
 * How large the program of an expression becomes, roughly: its length, what is repeated counted as often as it is
 * repeated. `(a{100}){10}` is short, its program is not.
 */
export function weightOf(pattern: string): number {
  const around: number[] = [];
  let group = 0;
  let last = 0;
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      around.push(group);
      group = 0;
      last = 0;
    } else if (token === ')') {
      last = group + 1;
      group = (around.pop() ?? 0) + last;
    } else if (groups.least !== undefined) {
      const added = last * (countOf(groups.least, groups.most) - 1);
      last += added;
      group += added;
    } else {
      if (groups.transparent === undefined) last = token.length;
      group += token.length;
    }
  }
  const whole = around.reduce((sum, outer) => sum + outer, group);
  return /\(\?[a-zA-Z]*i/.test(pattern) ? whole * CASE_FOLDING : whole;
}

/** What RE2 refuses by itself counts once. */
function countOf(least: string, most: string | undefined): number {
  const count = Math.max(1, Number(least), Number(most || 0));
  return count > LARGEST_COUNT ? 1 : count;
}
