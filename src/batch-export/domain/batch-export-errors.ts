import { Invalid } from '../../shared/domain/domain-error';

/** No run would ever be between the two. */
export class EndsBeforeStart extends Invalid {
  constructor() {
    super('end_at', 'invalid_input', "'end_at' must not be before 'start_at'.");
  }
}

/** The destination takes events as they were captured, so neither persons nor what a query makes of them. */
export class DestinationTakesEventsOnly extends Invalid {
  constructor(attr: 'model' | 'hogql_query', destinationType: string) {
    super(attr, 'invalid_input', `Destination ${destinationType} exports events as they are captured only.`);
  }
}

/** A query is one over events. */
export class QueryNeedsEvents extends Invalid {
  constructor() {
    super('hogql_query', 'invalid_input', "A query can only be given for the model 'events'.");
  }
}

/** An export exports a project's data, and the organization has no project (D16). */
export class OrganizationHasNoProject extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'The organization has no project whose data could be exported.');
  }
}

/** Only HTTP and NoOp take backfills without an end (BE-33). */
export class BackfillHasNoEnd extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'Backfilling a BatchExport with no end date is not allowed');
  }
}

/** BE-31. */
export class BackfillEndsBeforeStart extends Invalid {
  constructor() {
    super(null, 'invalid_input', "The initial backfill datetime 'start_at' happens after 'end_at'");
  }
}

/** BE-32. */
export class BackfillEndsTooLate extends Invalid {
  constructor(endAt: Date) {
    super(
      null,
      'invalid_input',
      `The provided 'end_at' (${isoformat(endAt)}) is too far into the future. ` +
        'Cannot backfill beyond 1 batch period into the future.',
    );
  }
}

/** BE-34. */
export class NoDataToBackfill extends Invalid {
  constructor() {
    super(null, 'invalid_input', 'There is no data to backfill for this model.');
  }
}

/** BE-34. */
export class BackfillHasNoData extends Invalid {
  constructor(earliest: Date) {
    super(
      null,
      'invalid_input',
      'The provided backfill date range contains no data. The earliest possible backfill start date is ' +
        earliest.toISOString().replace('T', ' ').slice(0, 19),
    );
  }
}

/** The present leaves no data interval. */
export class NothingToBackfill extends Invalid {
  constructor(start: Date, end: Date) {
    super(
      null,
      'invalid_input',
      `There is nothing to backfill: no data interval lies between ${isoformat(start)} and ${isoformat(end)}.`,
    );
  }
}

export class BackfillTooLarge extends Invalid {
  constructor(runs: number, most: number) {
    super(
      null,
      'invalid_input',
      `The backfill would be ${runs} runs, more than the ${most} that one backfill may have. Ask for a part of it.`,
    );
  }
}

/** More would fill the tables, and keep each other waiting. */
export class TooManyBackfills extends Invalid {
  constructor(most: number) {
    super(
      null,
      'invalid_input',
      `The project has ${most} backfills that have not ended, as many as it may. Wait until one has ended, or cancel ` +
        'one.',
    );
  }
}

/** As TooManyBackfills, for what they consist of. */
export class TooManyBackfillRuns extends Invalid {
  constructor(runs: number, open: number, most: number) {
    super(
      null,
      'invalid_input',
      `The backfill would be ${runs} runs, and those of the project's other backfills that have not ended are ` +
        `${open}: together they may be ${most}. Wait until more have ended, cancel a backfill, or ask for a part of it.`,
    );
  }
}

/** A moment as Python writes it: microseconds where there are any, and the offset in digits (BE-32, BE-35). */
export const isoformat = (moment: Date): string =>
  moment
    .toISOString()
    .replace(/(\.\d{3})Z$/, (_, milliseconds) =>
      milliseconds === '.000' ? '+00:00' : `${milliseconds}000+00:00`,
    );
