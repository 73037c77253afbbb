import { PatternInvalid, quoted } from './pattern';

/** What one element of a selector must be. */
export interface SelectorPart {
  /** How far it may stand below the element of the part before it; null for the first part. */
  readonly below: 'anywhere' | 'directly' | null;
  readonly tag: string | null;
  readonly classes: readonly string[];
  /** Exact values; `#x` is the attribute `id`. */
  readonly attributes: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  /** Counted from 1. */
  readonly nthChild: number | null;
  readonly nthOfType: number | null;
}

/** A part while it is being read. */
interface Draft {
  below: SelectorPart['below'];
  tag: string | null;
  classes: string[];
  attributes: { name: string; value: string }[];
  nthChild: number | null;
  nthOfType: number | null;
}

const NAME = String.raw`((?:[\w\u{a0}-\u{10ffff}-]|\\[0-9a-fA-F]{1,6}\s?|\\.)+)`;
const STRING = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`;

// A sticky expression is tried at one place only. None of these goes over a text twice: reading takes linear time.
const CHILD = /\s*>\s*/uy;
const DESCENDANT = /\s+/uy;
const TAG = new RegExp(NAME, 'suy');

/** What a part may have after its tag, in any order. */
const CONDITIONS: ReadonlyArray<{
  pattern: RegExp;
  add: (part: Draft, first: string, second: string) => void;
}> = [
  { pattern: new RegExp(`\\.${NAME}`, 'suy'), add: ({ classes }, name) => classes.push(unescaped(name)) },
  {
    pattern: new RegExp(`#${NAME}`, 'suy'),
    add: ({ attributes }, id) => attributes.push({ name: 'id', value: unescaped(id) }),
  },
  {
    pattern: new RegExp(String.raw`\[\s*([\w:.@\u{a0}-\u{10ffff}-]+)\s*=\s*${STRING}\s*\]`, 'suy'),
    add: ({ attributes }, name, value) => attributes.push({ name, value: unescaped(value.slice(1, -1)) }),
  },
  {
    pattern: /:nth-child\(\s*([1-9]\d{0,8})\s*\)/uy,
    add: (part, n) => {
      part.nthChild = Number(n);
    },
  },
  {
    pattern: /:nth-of-type\(\s*([1-9]\d{0,8})\s*\)/uy,
    add: (part, n) => {
      part.nthOfType = Number(n);
    },
  },
];

/**
 * Reads a selector of MATCH-14's grammar, outermost element first: parts separated by blanks or `>`, a part being
 * a tag, `.class`, `#id`, `[attr='v']`, `:nth-child(n)` and `:nth-of-type(n)`. Names are escaped as in CSS.
 * @throws PatternInvalid when it is anything else
 */
export function parseSelector(text: string): readonly SelectorPart[] {
  const reader = new Reader(text.trim());
  const parts = [readPart(reader, null)];
  while (!reader.atEnd) {
    if (reader.take(CHILD)) parts.push(readPart(reader, 'directly'));
    else if (reader.take(DESCENDANT)) parts.push(readPart(reader, 'anywhere'));
    else throw reader.unexpected();
  }
  return parts;
}

function readPart(reader: Reader, below: SelectorPart['below']): SelectorPart {
  const start = reader.position;
  const tag = reader.take(TAG)?.[1];
  const part: Draft = {
    below,
    tag: tag === undefined ? null : unescaped(tag),
    classes: [],
    attributes: [],
    nthChild: null,
    nthOfType: null,
  };
  while (CONDITIONS.some((condition) => takeInto(part, reader, condition)));
  if (reader.position === start) throw reader.unexpected();
  return part;
}

function takeInto(part: Draft, reader: Reader, { pattern, add }: (typeof CONDITIONS)[number]): boolean {
  const found = reader.take(pattern);
  if (found) add(part, found[1] ?? '', found[2] ?? '');
  return found !== null;
}

/** CSS escapes: a backslash and a character stand for it, a backslash and up to six hex digits for a code point. */
function unescaped(text: string): string {
  return text.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gisu, (_, hex?: string, character?: string) => {
    if (hex === undefined) return character ?? '';
    const code = Number.parseInt(hex, 16);
    const valid = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return String.fromCodePoint(valid ? code : 0xfffd);
  });
}

class Reader {
  position = 0;

  constructor(private readonly text: string) {}

  get atEnd(): boolean {
    return this.position === this.text.length;
  }

  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text);
    if (found) this.position = pattern.lastIndex;
    return found;
  }

  unexpected(): PatternInvalid {
    if (this.text === '') return new PatternInvalid('it is empty');
    return new PatternInvalid(
      this.atEnd
        ? 'it ends where an element was expected'
        : `it is not understood from ${quoted(this.text.slice(this.position))} on`,
    );
  }
}
