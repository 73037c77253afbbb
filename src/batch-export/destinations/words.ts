import { hiding, shortened } from '../domain/masking';

/** Of a destination's text in a log or an error, in characters. */
const LONGEST = 500;

/** What a destination said, on one line of bounded length, without these secrets. */
export function wordsOf(text: string, secrets: readonly string[]): string {
  const masked = hiding({ secrets })(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a log
  return shortened(masked.replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim(), LONGEST);
}
