/**
 * A resource in its response shape, as the JSON text that the read query produced. It is passed on as it is:
 * parsing and serialising it again would cost more than the query (ADR 3).
 */
export class Representation {
  constructor(readonly json: string) {}
}

/** The part of a list a caller asks for (D5). */
export interface PageWindow {
  readonly limit: number;
  readonly offset: number;
}

/** JSON texts in their order: some resources in their response shape each, commas between them. */
export type Pieces = readonly string[];

export const arrayOf = (pieces: Pieces): string => `[${pieces.join(',')}]`;

/** One page of a list; `count` is the size of the whole list. */
export class Page {
  constructor(
    readonly count: number,
    readonly results: Pieces,
    readonly window: PageWindow,
    /** How many `results` there are: fewer than the limit where they would be too large together. */
    readonly shown: number,
  ) {}
}

/** The part of a list a caller asks for by number: the first page is 1 (PAGE-09). */
export interface NumberedWindow {
  readonly page: number;
  readonly limit: number;
}

/** One page of a list whose pages are numbered; `count` is the size of the whole list. */
export class NumberedPage {
  constructor(
    readonly count: number,
    readonly results: Pieces,
    readonly window: NumberedWindow,
  ) {}
}
