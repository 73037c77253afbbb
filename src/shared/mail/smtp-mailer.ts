import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import MailComposer from 'nodemailer/lib/mail-composer';
import { Settings } from '../../config/settings';
import { Mailer, MailRefused } from './mailer';
import { htmlOf, type Mailbox, type Message, textOf } from './message';
import { SmtpSession } from './smtp-session';

interface SmtpError extends Error {
  /** What the server answered, if it did. */
  readonly responseCode?: number;
}

/** Over SMTP, at `SMTP_URL`; one connection for each mail, so that it is known how far each one came. */
@Injectable()
export class SmtpMailer extends Mailer {
  constructor(private readonly settings: Settings) {
    super();
  }

  async deliver(id: string, message: Message): Promise<void> {
    const { smtpUrl } = this.settings;
    if (smtpUrl === null) throw new Error('SMTP_URL is not set');
    const { from, raw } = await this.composed(id, message);
    let handedOver = false;
    // Read only when the server has asked for the mail.
    const content = new Readable({
      read() {
        handedOver = true;
        this.push(raw);
        this.push(null);
      },
    });
    let session: SmtpSession | null = null;
    try {
      session = await SmtpSession.open(smtpUrl);
      await session.send({ from: from.address, to: [message.to.address] }, content);
    } catch (error) {
      const { message: words, responseCode } = error as SmtpError;
      // Cut off without an answer after the mail was handed over, nobody knows whether it was taken.
      const isTransient = responseCode === undefined ? !handedOver : responseCode < 500;
      throw new MailRefused(words, isTransient, { cause: error });
    } finally {
      session?.close();
    }
  }

  private async composed(id: string, message: Message): Promise<{ from: Mailbox; raw: Buffer }> {
    const { emailFrom, emailReplyTo } = this.settings;
    const from = mailboxOf(emailFrom);
    const composer = new MailComposer({
      from,
      to: message.to,
      replyTo: message.replyTo ?? (emailReplyTo === null ? undefined : mailboxOf(emailReplyTo)),
      subject: message.subject,
      text: textOf(message),
      html: htmlOf(message),
      // The same each time it is tried, by which a mail server knows one that it has.
      messageId: `<${id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
      // No answer from an absent person.
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    return { from, raw: await composer.compile().build() };
  }
}

/** `Name <address>`, or an address. */
function mailboxOf(text: string): Mailbox {
  const [, name = '', address] = /^(.*?)\s*<([^<>]+)>$/.exec(text) ?? [];
  return { name: name.replace(/^"(.*)"$/, '$1'), address: address ?? text };
}
