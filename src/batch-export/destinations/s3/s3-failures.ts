import { DeliveryFailed } from '../../domain/delivery';
import { codeOf, isPassing, messageOf } from '../connection-errors';
import { wordsOf } from '../words';

/** What servers say when the same request may succeed later; so may whatever they answer with 429 or 5xx. */
const PASSING = new Set([
  'InternalError',
  'NoSuchUpload',
  'OperationAborted',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'ServiceUnavailable',
  'SlowDown',
  'TemporaryRedirect',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
]);

/** What the SDK says where the answer says nothing. */
const NO_WORDS = /^(UnknownError|Unknown|[^:]*char '.'.*|Deserialization error.*)$/s;

/** Names that are not the server's. */
const NO_NAME = /^(Error|Unknown|UnknownError|SyntaxError|.*\W.*)$/;

interface Answered {
  readonly name: string;
  readonly message: string;
  readonly status: number;
}

/** Of an error that is the answer of an S3 server; null for any other. */
function answerOf(error: unknown): Answered | null {
  const { name, message, $metadata } = error as Partial<Error> & { $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  return status === undefined ? null : { name: name ?? '', message: message ?? '', status };
}

/** Whether the server does not let these credentials do it, or cannot do it at all. */
export function isRefusal(error: unknown): boolean {
  const answer = answerOf(error);
  return (
    answer !== null &&
    (['AccessDenied', 'MethodNotAllowed', 'NotImplemented'].includes(answer.name) ||
      [405, 501].includes(answer.status))
  );
}

/** An error of the SDK in the server's own words, without these secrets; other errors as they are. */
export function explained(error: unknown, secrets: readonly string[]): unknown {
  if (error instanceof DeliveryFailed || typeof error !== 'object' || error === null) return error;
  const failed = (text: string, isTransient: boolean) =>
    new DeliveryFailed(wordsOf(text, secrets), isTransient, { cause: error });
  const answer = answerOf(error);
  if (answer) {
    const { name, message, status } = answer;
    const said = [NO_NAME.test(name) ? '' : ` ${name}`, NO_WORDS.test(message) ? '' : `: ${message}`];
    const isTransient = status === 429 || status >= 500 || PASSING.has(name);
    return failed(`The S3 server answered ${status}${said.join('')}`, isTransient);
  }
  if (isPassing(error) || ('name' in error && error.name === 'TimeoutError')) {
    return failed(`The S3 server cannot be reached: ${messageOf(error)}`, true);
  }
  if (codeOf(error) !== '' || '$metadata' in error) {
    return failed(`The S3 server cannot be used: ${messageOf(error)}`, false);
  }
  return error;
}
