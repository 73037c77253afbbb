import { AddressRefused } from '../../shared/net/address-policy';

export type TroubleKind =
  /** The host has nothing there, or not for this caller. */
  | 'absent'
  /** The address is not public. */
  | 'private'
  /** There is more than a plugin may have. */
  | 'oversized'
  /** The host does not do its part. */
  | 'failed';

const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'it ended the connection',
  EPIPE: 'it ended the connection',
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'its host could not be looked up',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  ETIMEDOUT: 'its host does not answer',
};

/** What went wrong between this server and a host, without any address: those may hold tokens. */
export class HostTrouble extends Error {
  constructor(
    readonly kind: TroubleKind,
    reason: string,
  ) {
    super(reason);
  }

  static of(error: unknown): HostTrouble {
    if (error instanceof HostTrouble) return error;
    if (error instanceof AddressRefused) return new HostTrouble('private', 'not a public address');
    const { code = '' } = error as { code?: string };
    return new HostTrouble('failed', SYSTEM_ERRORS[code] ?? `the connection failed (${code || 'unknown'})`);
  }
}
