import type { Message } from './message';

/** The mail was not taken: `isTransient` when it may be later, and it is certain that nobody has it. */
export class MailRefused extends Error {
  constructor(
    message: string,
    readonly isTransient: boolean,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Hands mails to a server. */
export abstract class Mailer {
  /** @param id of the mail, the same each time it is tried @throws MailRefused */
  abstract deliver(id: string, message: Message): Promise<void>;
}
