import { QueryMeaningless, shown } from './query-errors';

/** PostgreSQL's limit. */
const MOST_REPETITIONS = 255;
/** Of what an expression becomes when its repetitions are written out: far below what PostgreSQL refuses. */
const HEAVIEST = 2_000;

const CLASSES: Readonly<Record<string, string>> = {
  d: '0-9',
  w: '0-9A-Za-z_',
  s: '\\t\\n\\f\\r ',
};

const CHARACTERS: Readonly<Record<string, string>> = {
  t: '\t',
  n: '\n',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\u0007',
};

const ANCHORS: Readonly<Record<string, string>> = { b: '\\y', B: '\\Y', A: '\\A', z: '\\Z' };

/** Of ASCII alone, as RE2 has them. */
const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: '\\t ',
  digit: '0-9',
  lower: 'a-z',
  punct: '!-/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

/**
 * A regular expression of RE2 as one of PostgreSQL that finds the same: what the two read differently is rewritten or
 * refused, so that no expression is an error there, and none takes it forever. As in ClickHouse, `.` is any
 * character, line feeds too.
 * @throws QueryMeaningless for what RE2 refuses, and for what cannot be rewritten
 */
export function regexPattern(pattern: string): string {
  return new RegexTranslation(pattern).translate();
}

class RegexTranslation {
  private readonly rest: string[];
  private at = 0;
  /** What is in the groups around, then in the innermost one; each atom weighs what it is written out. */
  private readonly weights: number[] = [0];
  private last = 0;
  /** Whether an assertion is in the groups around, then in the innermost one. */
  private readonly asserts: boolean[] = [false];
  private lastAsserts = false;

  constructor(private readonly pattern: string) {
    this.rest = [...pattern];
  }

  translate(): string {
    const flags = this.take(/^\(\?([is]+)\)/)?.[1] ?? '';
    let translated = '';
    while (this.at < this.rest.length) {
      translated += this.next();
      if (this.weight > HEAVIEST) this.refuse('it is too large');
    }
    if (this.weights.length > 1) this.refuse('a parenthesis is not closed');
    // What starts with *** or (? would be read as options.
    return `(?${flags.includes('i') ? 'i' : 'c'})(?:${translated})`;
  }

  private next(): string {
    const character = this.rest[this.at] ?? '';
    if (character === '\\') return this.escape();
    if (character === '[') return this.atom(this.brackets());
    if (character === '(') return this.open();
    if (character === ')') return this.close();
    if ('*+?{'.includes(character)) return this.repetition();
    this.at += 1;
    if (character === '^') return this.assertion('\\A');
    if (character === '$') return this.assertion('\\Z');
    if (character === '|') return this.unrepeatable('|');
    return this.atom(character === '.' ? '.' : literal(character));
  }

  private escape(): string {
    const character = this.rest[this.at + 1];
    if (character === undefined) this.refuse('it ends with a backslash');
    const anchor = ANCHORS[character];
    if (anchor) {
      this.at += 2;
      return this.assertion(anchor);
    }
    const ofClass = CLASSES[character.toLowerCase()];
    if (ofClass) {
      this.at += 2;
      return this.atom(character === character.toLowerCase() ? `[${ofClass}]` : `[^${ofClass}]`);
    }
    return this.atom(literal(this.escapedCharacter()));
  }

  /** A character that is written with a backslash. */
  private escapedCharacter(): string {
    const coded = this.take(/^\\x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\})/);
    if (coded) {
      const code = Number.parseInt(coded[1] ?? coded[2] ?? '', 16);
      if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        this.refuse('a code is of no character');
      return String.fromCodePoint(code);
    }
    const character = this.rest[this.at + 1] ?? '';
    this.at += 2;
    if (/^[a-zA-Z0-9]$/.test(character) && !CHARACTERS[character])
      this.refuse(`\\${character} is not supported`);
    return CHARACTERS[character] ?? character;
  }

  private brackets(): string {
    this.at += 1;
    let inside = this.take(/^\^/) ? '^' : '';
    for (let first = true; ; first = false) {
      const character = this.rest[this.at];
      if (character === undefined) this.refuse('a bracket is not closed');
      if (character === ']' && !first) break;
      inside += this.member();
    }
    this.at += 1;
    return `[${inside}]`;
  }

  /** A character, a range or a class in brackets. */
  private member(): string {
    const posix = this.take(/^\[:(\w+):\]/)?.[1];
    if (posix) return POSIX[posix] ?? this.refuse(`the class ${posix} is unknown`);
    const ofClass = this.take(/^\\([dws])/)?.[1];
    if (ofClass) return CLASSES[ofClass] ?? '';
    const from = this.memberCharacter();
    if (!this.take(/^-(?!\])/)) return inBrackets(from);
    const to = this.memberCharacter();
    if ((from.codePointAt(0) ?? 0) > (to.codePointAt(0) ?? 0)) this.refuse('a range is upside down');
    return `${inBrackets(from)}-${inBrackets(to)}`;
  }

  private memberCharacter(): string {
    const character = this.rest[this.at];
    if (character === undefined) this.refuse('a bracket is not closed');
    if (character === '\\' && this.at + 1 < this.rest.length) return this.escapedCharacter();
    if (character === '[' && this.rest[this.at + 1] === ':') this.refuse('a class is unknown');
    this.at += 1;
    return character;
  }

  private open(): string {
    const start = this.take(/^\((?:\?:|\?P?<[A-Za-z_]\w*>)?(?!\?)/);
    if (!start) this.refuse('flags inside of it and looking around are not supported');
    this.weights.push(0);
    this.asserts.push(false);
    this.last = 0;
    return '(?:';
  }

  private close(): string {
    this.at += 1;
    const inner = this.weights.pop() ?? 0;
    if (this.weights.length === 0) this.refuse('a parenthesis was not opened');
    this.last = inner + 1;
    this.add(this.last);
    this.lastAsserts = this.asserts.pop() ?? false;
    if (this.lastAsserts) this.asserts[this.asserts.length - 1] = true;
    return ')';
  }

  /** Which of the ways to match is found does not matter for whether there is one: `?` after it is dropped. */
  private repetition(): string {
    const taken = this.take(/^(?:[*+?]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})\??/);
    if (!taken) {
      this.at += 1;
      return this.atom('\\{');
    }
    if (this.last === 0) this.refuse('there is nothing to repeat');
    // Where PostgreSQL writes these out, its work grows with the power of them.
    if (this.lastAsserts) this.refuse('it repeats ^, $, \\b or their like');
    const [whole, least, comma, most] = taken;
    const times = Math.max(Number(least ?? 1), Number(most || 0));
    if (times > MOST_REPETITIONS) this.refuse(`it repeats more than ${MOST_REPETITIONS} times`);
    if (most && Number(most) < Number(least)) this.refuse('a repetition is upside down');
    this.add(this.last * Math.max(times, 1));
    this.last = 0;
    return least === undefined
      ? (whole[0] ?? '')
      : `{${Number(least)}${comma ?? ''}${most ? Number(most) : (most ?? '')}}`;
  }

  private atom(text: string): string {
    this.last = 1;
    this.lastAsserts = false;
    this.add(1);
    return text;
  }

  private assertion(text: string): string {
    this.asserts[this.asserts.length - 1] = true;
    return this.unrepeatable(text);
  }

  private unrepeatable(text: string): string {
    this.last = 0;
    this.add(1);
    return text;
  }

  private add(weight: number): void {
    this.weights.push((this.weights.pop() ?? 0) + weight);
  }

  private get weight(): number {
    return this.weights.reduce((sum, weight) => sum + weight, 0);
  }

  private take(expression: RegExp): RegExpExecArray | null {
    const found = expression.exec(this.rest.slice(this.at, this.at + 80).join(''));
    if (found) this.at += [...found[0]].length;
    return found;
  }

  private refuse(reason: string): never {
    throw new QueryMeaningless(`The regular expression '${shown(this.pattern)}' cannot be used: ${reason}`);
  }
}

/** Any character but a letter or a digit stands for itself after a backslash. */
const literal = (character: string): string =>
  /^[\x20-\x7e]$/.test(character) && /\W/.test(character) ? `\\${character}` : character;

const inBrackets = (character: string): string =>
  /^[\\\]^[-]$/.test(character) ? `\\${character}` : character;
