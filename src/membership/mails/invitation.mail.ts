import { inWords } from '../../shared/domain/moment';
import { greeting, type Mailbox, type Message } from '../../shared/mail/message';
import { INVITE_VALID_DAYS, type OrganizationInvite } from '../domain/organization-invite';
import { personInWords, ROLES } from './words';

/** To who is invited, with the link; answers go to who invites. */
export function invitationMail(
  invite: OrganizationInvite,
  organization: string,
  inviter: Mailbox,
  link: string,
): Message {
  const { firstName, targetEmail, grantedLevel, message, expiresAt } = invite;
  const words = message?.trim() ?? '';
  const to = { name: firstName, address: targetEmail };
  return {
    to,
    replyTo: inviter,
    subject: `${inviter.name || inviter.address} invites you to join ${organization}`,
    paragraphs: [
      greeting(to),
      `${personInWords(inviter)} invites you to join ${organization} on Hedgerow, as ${ROLES[grantedLevel]}.`,
      ...(words === '' ? [] : [`${inviter.name || inviter.address} writes:`, { quote: words }]),
      { link, label: 'Look at the invitation and accept it' },
      `The link works once, and for ${INVITE_VALID_DAYS} days: until ${inWords(expiresAt)}. Keep it to yourself, ` +
        'since whoever opens it can join in your place.',
      'If you did not expect this, you need not do anything.',
    ],
  };
}
