import { DomainError, Invalid } from '../../shared/domain/domain-error';

/** A query that cannot be understood, or that asks for what is not supported: 400 on hogql_query (BE-25). */
export class QueryInvalid extends Invalid {
  constructor(detail: string) {
    super('hogql_query', 'invalid_input', detail);
  }
}

/** Queries are read in turn, and this one did not have its own for too long: 503. */
export class TooManyQueries extends DomainError {
  constructor() {
    super('unavailable', 'service_unavailable', 'Too many HogQL queries are being read.');
  }
}

/** Means something that `events` does not have, or that makes no sense. */
export class QueryMeaningless extends QueryInvalid {
  constructor(reason: string) {
    super(`Invalid HogQL query: ${reason}`);
  }
}

/** HogQL that batch exports do not take. */
export class QueryUnsupported extends QueryInvalid {
  constructor(what: string) {
    super(`Unsupported HogQL query: ${what} not supported`);
  }
}

/** What a person wrote, as it is named in an error: not longer than they care to read. */
export function shown(text: string): string {
  const characters = [...text.slice(0, 200)];
  return characters.length > 60 || text.length > 200 ? `${characters.slice(0, 60).join('')}…` : text;
}
