import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';

/** In milliseconds. */
const CONNECT_TIMEOUT = 10_000;
const SOCKET_TIMEOUT = 30_000;

/** A connection to a mail server that has greeted, and knows who we are where the address says so. */
export class SmtpSession {
  private readonly failed: Promise<never>;

  private constructor(private readonly connection: SMTPConnection) {
    this.failed = once(connection, 'error').then(([error]) => {
      throw error;
    });
    // Whoever waits for a step is told; what fails afterwards is nobody's business.
    this.failed.catch(() => undefined);
    connection.on('error', () => undefined);
  }

  /** @throws Error with the words of the server or of the network */
  static async open(smtpUrl: string): Promise<SmtpSession> {
    const { auth, ...server } = parseConnectionUrl(smtpUrl);
    const connection = new SMTPConnection({
      ...server,
      connectionTimeout: CONNECT_TIMEOUT,
      greetingTimeout: CONNECT_TIMEOUT,
      socketTimeout: SOCKET_TIMEOUT,
    });
    const session = new SmtpSession(connection);
    try {
      await session.step((done) => connection.connect(done));
      if (auth) await session.step((done) => connection.login(auth, done));
      return session;
    } catch (error) {
      session.close();
      throw error;
    }
  }

  /** @throws Error as `open` does */
  async send(envelope: SMTPConnection.Envelope, content: Readable): Promise<void> {
    await this.step((done) => this.connection.send(envelope, content, done));
  }

  close(): void {
    this.connection.close();
  }

  private step(take: (done: (error?: Error | null) => void) => void): Promise<unknown> {
    return Promise.race([
      this.failed,
      new Promise<void>((resolve, reject) => take((error) => (error ? reject(error) : resolve()))),
    ]);
  }
}
