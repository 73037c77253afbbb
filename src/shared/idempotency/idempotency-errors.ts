import { DomainError, Invalid } from '../domain/domain-error';

/** The header's value is not one that could name a request. */
export class IdempotencyKeyMalformed extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  }
}

/** The key names another request than this one: 422. */
export class IdempotencyKeyReused extends DomainError {
  constructor() {
    super(
      'unprocessable',
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body or query. Send the same again, or another key.',
    );
  }
}
