import { DomainError, Invalid } from '../../shared/domain/domain-error';

const WHERE = 'You can find your project API key in the `api_token` of your project in Hedgerow.';

export class TokenMissing extends DomainError {
  constructor() {
    super('unauthenticated', 'missing_api_key', `API key not provided. ${WHERE}`);
  }
}

export class TokenUnknown extends DomainError {
  constructor() {
    super('unauthenticated', 'invalid_api_key', `Project API key invalid. ${WHERE}`);
  }
}

export class NoEvents extends Invalid {
  constructor(attr: string | null) {
    super(attr, 'empty', 'This list may not be empty.');
  }
}

export class TooManyEvents extends Invalid {
  constructor(attr: string | null, most: number) {
    super(attr, 'max_length', `Ensure this field has no more than ${most} elements.`);
  }
}

/** Somebody changes the project, or deletes it, which may take long. */
export class ProjectBusy extends DomainError {
  constructor() {
    super('unavailable', 'service_unavailable', 'The project is being changed; send the events again.');
  }
}
