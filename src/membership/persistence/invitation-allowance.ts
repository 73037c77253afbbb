import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';

/** To one mailbox in a day, whoever invites. */
export const MOST_TO_MAILBOX = 5;
/** Of one organization in an hour. */
export const MOST_OF_ORGANIZATION = 200;

/**
 * Where two invite the same mailbox at once, only one of them may mail: neither waits for the other, as invitations
 * of many mailboxes in another order would do in a circle.
 */
const TAKE = new Statement<{ taken: boolean }>(
  'invitation_mails.take',
  `INSERT INTO invitation_mails (organization_id, mailbox, mailed_at)
   SELECT $1, $2, $3
    WHERE pg_try_advisory_xact_lock(hashtextextended('invitation to ' || encode($2::bytea, 'hex'), 0))
      AND (SELECT count(*) FROM invitation_mails
            WHERE mailbox = $2 AND mailed_at > $3::timestamptz - interval '1 day') < ${MOST_TO_MAILBOX}
      AND (SELECT count(*) FROM invitation_mails
            WHERE organization_id = $1 AND mailed_at > $3::timestamptz - interval '1 hour') < ${MOST_OF_ORGANIZATION}
   RETURNING true AS taken`,
);

/** Some of what is over is deleted each time, so that it never adds up. */
const FORGET = new Statement(
  'invitation_mails.forget',
  `DELETE FROM invitation_mails WHERE id = ANY (ARRAY(
     SELECT id FROM invitation_mails WHERE mailed_at < $1::timestamptz - interval '1 day'
      ORDER BY mailed_at LIMIT 20 FOR UPDATE SKIP LOCKED))`,
);

/** How many invitations may be mailed: nobody can have somebody's mailbox filled, and no organization sends in bulk. */
@Injectable()
export class InvitationAllowance {
  constructor(private readonly transaction: Transaction) {}

  /** Takes one mail from the allowance, in the transaction of the invite; false where none is left. */
  async take(organizationId: string, address: string, now: Date): Promise<boolean> {
    await this.transaction.rows(FORGET, [now]);
    const [row] = await this.transaction.rows(TAKE, [organizationId, mailboxOf(address), now]);
    return row?.taken ?? false;
  }
}

/** What differs in case, or in what follows a plus sign, comes to the same people. */
function mailboxOf(address: string): Buffer {
  const [, name = '', host = ''] = /^([^+]*)(?:\+.*)?@(.*)$/s.exec(address.toLowerCase()) ?? [];
  return hash('sha256', `${name}@${host}`, 'buffer');
}
