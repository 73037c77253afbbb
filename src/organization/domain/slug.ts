import { randomInt } from 'node:crypto';

const LONGEST = 48;
const SUFFIX_LETTERS = 4;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** An organization's name as a part of a URL: at most 48 lower-case letters, digits, `-` and `_` (ORG-12). */
export class Slug {
  private constructor(readonly text: string) {}

  static of(name: string): Slug {
    const plain = name
      .normalize('NFKD')
      .replace(/[^\p{ASCII}]/gu, '')
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .trim()
      .replace(/[-\s]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '');
    // A name in a script without Latin letters leaves nothing.
    return new Slug((plain || 'organization').slice(0, LONGEST));
  }

  /** Cut to 43 characters and told apart by `-` and four random letters. */
  varied(): Slug {
    const letters = Array.from({ length: SUFFIX_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]);
    return new Slug(`${this.text.slice(0, LONGEST - SUFFIX_LETTERS - 1)}-${letters.join('')}`);
  }
}
