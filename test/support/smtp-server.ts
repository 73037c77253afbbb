import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: headers, a blank line, the parts. */
  readonly raw: string;
}

type Fault = 'refuse the recipient' | 'try later' | 'cut the connection';

/** A mail server in the test process that keeps what it receives, and fails when it is told to. */
export class MailCatcher {
  readonly mails: ReceivedMail[] = [];
  /** What becomes of the next mails, one each. */
  readonly faults: Fault[] = [];
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_, __, done) => {
      if (this.faults[0] !== 'refuse the recipient') return done();
      this.faults.shift();
      done(Object.assign(new Error('No such mailbox'), { responseCode: 550 }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const fault = this.faults.shift();
        if (fault === 'try later') return done(Object.assign(new Error('Busy'), { responseCode: 451 }));
        const { mailFrom, rcptTo } = session.envelope;
        this.mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
        });
        if (fault === 'cut the connection') this.cut();
        else done();
      });
    },
  });

  async start(): Promise<void> {
    this.server.on('error', () => undefined);
    this.server.listen(0, '127.0.0.1');
    await once(this.server.server, 'listening');
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise<void>((done) => this.server.close(() => done()));
  }

  private cut(): void {
    for (const connection of this.server.connections) connection._socket.destroy();
  }
}

/** The parts of a mail as text, transfer encodings undone. */
export const wordsOf = ({ raw }: ReceivedMail): string =>
  raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
