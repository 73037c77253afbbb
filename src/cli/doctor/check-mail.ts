import type { Settings } from '../../config/settings';
import { SmtpSession } from '../../shared/mail/smtp-session';
import { type Finding, ok, problem, warning, wordsOf } from './finding';

/** Greets the mail server and logs in; sends nothing. */
export async function checkMail({ smtpUrl, emailFrom }: Settings): Promise<Finding> {
  if (smtpUrl === null) {
    return warning(
      'mail',
      'SMTP_URL is not set: no mail is sent, and links of invitations are handed over by hand.',
      'Set SMTP_URL, PUBLIC_URL and EMAIL_FROM to have invitations mailed.',
    );
  }
  const { host, username } = new URL(smtpUrl);
  try {
    (await SmtpSession.open(smtpUrl)).close();
  } catch (error) {
    return problem(
      'mail',
      `The mail server at ${host} cannot be used: ${wordsOf(error)}.`,
      'Check SMTP_URL, and that this machine may connect there.',
    );
  }
  if (/@localhost>?$/.test(emailFrom)) {
    return warning(
      'mail',
      `The mail server at ${host} answers, but mails are from ${emailFrom}, which others refuse.`,
      'Set EMAIL_FROM to an address of yours.',
    );
  }
  return ok('mail', `The mail server at ${host} answers${username === '' ? '' : ' and lets us in'}.`);
}
