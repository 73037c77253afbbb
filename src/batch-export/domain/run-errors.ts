import { Invalid } from '../../shared/domain/domain-error';

/** Only what goes on can be cancelled. */
export class RunHasEnded extends Invalid {
  constructor(status: string) {
    super(null, 'invalid_input', `The run has ended already: it is ${status}.`);
  }
}

/** Only what has ended can be asked for again. */
export class RunGoesOn extends Invalid {
  constructor(status: string) {
    super(null, 'invalid_input', `The run has not ended yet: it is ${status}.`);
  }
}

/** Only what goes on can be cancelled. */
export class BackfillHasEnded extends Invalid {
  constructor(status: string) {
    super(null, 'invalid_input', `The backfill has ended already: it is ${status}.`);
  }
}

/** The run is no longer this attempt's: it was cancelled, taken over, or is gone with its export. */
export class RunLost extends Error {
  constructor() {
    super('The run is no longer that of this attempt');
    this.name = RunLost.name;
  }
}
