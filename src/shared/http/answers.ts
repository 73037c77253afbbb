import type { NumberedPage, Page, Representation } from '../domain/representation';

/**
 * The answer of an operation that sends no body unless the caller asks for one with
 * `Prefer: return=representation` (D1).
 */
export class OnRequest {
  constructor(readonly representation: Representation | Page | NumberedPage) {}
}

/** An answer with headers of its own, such as `Link`, or the `Content-Type` of a text that is not JSON. */
export class WithHeaders {
  constructor(
    readonly answer: unknown,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}
