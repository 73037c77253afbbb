import type { Level } from '../../shared/domain/level';
import { greeting, type Mailbox, type Message } from '../../shared/mail/message';
import { personInWords, ROLES } from './words';

/** To a member, about another one who has just joined (SIGN-13). */
export function joinedMail(to: Mailbox, joiner: Mailbox, organization: string, level: Level): Message {
  return {
    to,
    subject: `${joiner.name || joiner.address} has joined ${organization}`,
    paragraphs: [
      greeting(to),
      `${personInWords(joiner)} has accepted an invitation and joined ${organization} as ${ROLES[level]}.`,
      `You get this mail because you belong to ${organization}. Its administrators can turn such mails off: the ` +
        'setting is is_member_join_email_enabled of the organization.',
    ],
  };
}
