/** Why a regular expression or a selector does not compile, as the end of a sentence. */
export class PatternInvalid extends Error {}

/** A text for people: quoted, and no longer than they care to read. */
export function quoted(text: string): string {
  const characters = [...text.slice(0, 200)];
  return characters.length > 60 || text.length > 200 ? `"${characters.slice(0, 60).join('')}…"` : `"${text}"`;
}
