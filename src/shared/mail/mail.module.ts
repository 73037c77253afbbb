import { Global, Module } from '@nestjs/common';
import { Mailer } from './mailer';
import { Mails } from './mails';
import { SmtpMailer } from './smtp-mailer';

@Global()
@Module({ providers: [Mails, { provide: Mailer, useClass: SmtpMailer }], exports: [Mails] })
export class MailModule {}
