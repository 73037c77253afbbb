import { Level } from '../../shared/domain/level';
import type { Mailbox } from '../../shared/mail/message';

/** What a level makes of somebody, after "as". */
export const ROLES: Readonly<Record<Level, string>> = {
  [Level.Member]: 'a member',
  [Level.Admin]: 'an administrator',
  [Level.Owner]: 'an owner',
};

/** Somebody as mails and pages speak of them: `Ada Lovelace (ada@example.com)`, or the address alone. */
export const personInWords = ({ name, address }: Mailbox): string =>
  name === '' ? address : `${name} (${address})`;
