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
];

/** Whether an error means that the database cannot be reached or is closing, rather than that it refused a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { driverError } = error as { driverError?: unknown };
  if (driverError instanceof Error) return isDatabaseUnavailable(driverError);
  const { code = '', severity } = error as { code?: string; severity?: string };
  // Class 08: connection exceptions; FATAL ends the connection: shutdown, too many clients, not accepting.
  return (
    severity === 'FATAL' ||
    (severity === 'ERROR' && code.startsWith('08')) ||
    NODE_CONNECTION_ERRORS.includes(code) ||
    CONNECTION_MESSAGES.some((message) => error.message.includes(message))
  );
}
