/** What went wrong, in terms a transport can translate; HTTP does so in `shared/http/error.filter.ts`. */
export type ErrorKind =
  | 'malformed'
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unprocessable'
  | 'unsupported_media_type'
  | 'throttled'
  | 'bad_gateway'
  | 'unavailable';

/**
 * A fact that keeps a request from being done. `code` is for programs, the message for people, `attr` is the
 * field to blame, nested fields joined by two underscores (ERR-01, ERR-05, D8).
 */
export abstract class DomainError extends Error {
  constructor(
    readonly kind: ErrorKind,
    readonly code: string,
    detail: string,
    readonly attr: string | null = null,
  ) {
    super(detail);
    this.name = new.target.name;
  }
}

/** A value that breaks a rule: 400. */
export class Invalid extends DomainError {
  constructor(attr: string | null, code: string, detail: string) {
    super('invalid', code, detail, attr);
  }
}

/** Known caller, not allowed: 403 (ERR-11). */
export class Forbidden extends DomainError {
  constructor(detail = 'You do not have permission to perform this action.') {
    super('forbidden', 'permission_denied', detail);
  }
}

/** No such thing within the caller's reach: 404 (ERR-12). */
export class NotFound extends DomainError {
  constructor(detail = 'Not found.') {
    super('not_found', 'not_found', detail);
  }
}
