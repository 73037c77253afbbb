/** The data directory belongs to a Hedgerow that is running now. The message is one line that says so. */
export class DataDirectoryInUse extends Error {
  override readonly name = 'DataDirectoryInUse';

  constructor(directory: string, holder: number | undefined) {
    const who = holder === undefined ? 'another Hedgerow' : `another Hedgerow (pid ${holder})`;
    super(`DATA_DIR ${directory} is in use by ${who}; stop it, or give this one another DATA_DIR`);
  }
}

/** What a person can always do when the embedded database cannot be had. */
export const USE_YOUR_OWN = 'set DATABASE_URL to a PostgreSQL (15 or newer) of your own';

/**
 * The embedded PostgreSQL cannot be created or started. The first line of the message says what is wrong and
 * what to do about it; PostgreSQL's own last words follow, if it had any.
 */
export class EmbeddedPostgresFailed extends Error {
  override readonly name = 'EmbeddedPostgresFailed';

  constructor(problem: string, lastWords = '', options?: ErrorOptions) {
    const lines = lastWords.split('\n').filter((line) => line.trim() !== '');
    super([problem, ...lines.slice(-15).map((line) => `  ${line}`)].join('\n'), options);
  }
}
