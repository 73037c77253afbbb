const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const TIMED_OUT = ['57014', '55P03'];
const NOT_SUPPORTED = '0A000';
const RETRYABLE = ['40001', '40P01'];
const NODE_CONNECTION_ERRORS = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
];
const CONNECTION_MESSAGES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'not queryable',
  // TypeORM's, in a transaction whose connection was lost.
  'Query runner already released',
];

interface DatabaseError {
  readonly message: string;
  readonly code: string;
  readonly severity?: string;
  readonly constraint?: string;
}

/** What PostgreSQL or the driver said, whether TypeORM wrapped it or not. */
function databaseError(error: unknown): DatabaseError | null {
  if (!(error instanceof Error)) return null;
  const { driverError } = error as { driverError?: unknown };
  if (driverError instanceof Error) return databaseError(driverError);
  const { code, severity, constraint } = error as Partial<DatabaseError>;
  return { message: error.message, code: typeof code === 'string' ? code : '', severity, constraint };
}

/** Whether a write failed because of the unique index or constraint `name`. */
export function violates(error: unknown, name: string): boolean {
  const said = databaseError(error);
  return said?.code === UNIQUE_VIOLATION && said.constraint === name;
}

/** Whether a write failed because what it refers to has gone meanwhile, such as an organization being deleted. */
export function isReferenceGone(error: unknown): boolean {
  return databaseError(error)?.code === FOREIGN_KEY_VIOLATION;
}

/** Whether a prepared statement answers other columns now than when it was planned: a migration has changed its table. */
export function isPlanStale(error: unknown): boolean {
  const said = databaseError(error);
  return said?.code === NOT_SUPPORTED && said.message.includes('cached plan');
}

/**
 * Whether a transaction can be run again: it lost against another one (deadlock, serialization failure), or against a
 * migration, after which statements are prepared anew.
 */
export function isRetryable(error: unknown): boolean {
  return RETRYABLE.includes(databaseError(error)?.code ?? '') || isPlanStale(error);
}

/** Whether a value is not what an expression takes (class 22): a division by zero, a text that is no number. */
export function isRefusedValue(error: unknown): boolean {
  return databaseError(error)?.code.startsWith('22') ?? false;
}

/** Whether the database cannot be reached, is closing, or took too long, rather than that it refused a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const said = databaseError(error);
  if (!said) return false;
  // Class 08: connection exceptions; FATAL ends the connection: shutdown, too many clients, not accepting.
  return (
    said.severity === 'FATAL' ||
    TIMED_OUT.includes(said.code) ||
    (said.severity === 'ERROR' && said.code.startsWith('08')) ||
    NODE_CONNECTION_ERRORS.includes(said.code) ||
    CONNECTION_MESSAGES.some((message) => said.message.includes(message))
  );
}
