import { DomainError } from '../domain/domain-error';

/** The body cannot be parsed: 400 `parse_error` (ERR-14). */
export class Malformed extends DomainError {
  constructor(detail: string) {
    super('malformed', 'parse_error', detail);
  }
}

/** No or a wrong key: 401. */
export class Unauthenticated extends DomainError {
  constructor(code: 'not_authenticated' | 'authentication_failed', detail: string) {
    super('unauthenticated', code, detail);
  }
}

/** The path is known, the method is not, or it is refused: 405, to which the filter adds `Allow` (ERR-15, D4). */
export class MethodNotAllowed extends DomainError {
  constructor(method: string, detail = `Method "${method}" not allowed.`) {
    super('method_not_allowed', 'method_not_allowed', detail);
  }
}

/** 413 (D9). */
export class BodyTooLarge extends DomainError {
  constructor(limit: string) {
    super('too_large', 'request_too_large', `The request body is larger than ${limit}.`);
  }
}

/** 415 (ERR-16). */
export class UnsupportedMediaType extends DomainError {
  constructor(mediaType: string) {
    super(
      'unsupported_media_type',
      'unsupported_media_type',
      `Unsupported media type "${mediaType}" in request.`,
    );
  }
}

/** The server cannot serve now: 503. */
export class Unavailable extends DomainError {
  constructor(detail: string) {
    super('unavailable', 'service_unavailable', detail);
  }
}

/** Too many requests: 429, to which the filter adds `Retry-After` (RATE-02). `wait` is in whole seconds. */
export class Throttled extends DomainError {
  constructor(readonly wait: number) {
    super(
      'throttled',
      'throttled',
      `Request was throttled. Expected available in ${wait} second${wait === 1 ? '' : 's'}.`,
    );
  }
}
