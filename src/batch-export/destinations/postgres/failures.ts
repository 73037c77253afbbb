import { DatabaseError } from 'pg';
import { DeliveryFailed } from '../../domain/delivery';
import { codeOf, isPassing, messageOf } from '../connection-errors';
import { wordsOf } from '../words';

/** What pg says of a server that answers the wish for TLS with no. */
export const NO_TLS = 'The server does not support SSL connections';

/** What a server took too long for. */
export class TookTooLong extends Error {}

/**
 * Classes and codes of SQLSTATE that may pass by themselves: connection, transaction rollback (deadlock, serialisation),
 * insufficient resources, operator intervention (shutdown, time-out), system error, a lock not had in time, a server
 * that is a standby just now, a transaction that was idle too long.
 */
const PASSING_STATES = /^(08|40|53|57|58|55P03|25006|25P0[34])/;

/** What pg says, without a code, of connections that came to nothing. */
const PASSING_MESSAGES = /^(timeout expired|Connection terminated|The connection ended)/;

/** Redshift's words for a conflict with another transaction; they have no code of their own. */
const REDSHIFT_CONFLICT = /serializable isolation violation/i;

/** An error of a connection as a DeliveryFailed in the server's own words; what the signal says if it was aborted. */
export function destinationFailed(error: unknown, signal: AbortSignal, secrets: readonly string[]): unknown {
  if (signal.aborted) return signal.reason;
  const message = messageOf(error);
  const isTransient =
    error instanceof DatabaseError
      ? PASSING_STATES.test(error.code ?? '') || REDSHIFT_CONFLICT.test(message)
      : error instanceof TookTooLong || isPassing(error) || PASSING_MESSAGES.test(message);
  return new DeliveryFailed(wordsOf(advised(error, message), secrets), isTransient, {
    cause: error,
  });
}

function advised(error: unknown, message: string): string {
  if (message === NO_TLS) return `${message} (with 'ssl_mode' "disable" the export goes without)`;
  if (!/SELF_SIGNED_CERT/.test(codeOf(error))) return message;
  // Behind a semicolon newer versions of Node advise how to start the server, which is not for who made the export.
  return `${message.replace(/;.*/s, '')} ('has_self_signed_cert' accepts it)`;
}
