import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleInit,
} from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { Settings } from '../../config/settings';
import { Clock } from '../domain/clock';
import { Jobs } from '../jobs/jobs';
import { Statement } from '../persistence/statement';
import { Transaction } from '../persistence/transaction';
import { SecretBox } from '../secrets/secret-box';
import { Mailer, MailRefused } from './mailer';
import type { Message } from './message';

const QUEUE = 'mails';
/** How often is looked for mails to try again, in milliseconds. */
const TICK = 1_000;
const ATTEMPTS = 10;
/** In seconds: the pause after the first attempt, twice as long each time. */
const FIRST_PAUSE = 15;
const LONGEST_PAUSE = 3600;
/** In seconds. Whoever sends a mail has told what became of it by then, or is dead. */
const LONGEST_SENDING = 300;
const KEPT_DAYS = 30;

const ADD = new Statement<{ id: string }>(
  'mails.add',
  `INSERT INTO mails (id, name, content, state, attempts, created_at) VALUES ($1, $2, $3, 'waiting', 0, $4)
   ON CONFLICT (name) DO NOTHING RETURNING id`,
);

/** Of two workers that try one mail, one does. */
const TAKE = new Statement<{ content: Buffer; attempts: number }>(
  'mails.take',
  `UPDATE mails SET state = 'sending', attempts = attempts + 1, sending_since = $2, retry_at = NULL
    WHERE id = $1 AND state = 'waiting' RETURNING content, attempts`,
);

/** What was sent is not kept: it may hold a link that lets somebody in. */
const END = new Statement(
  'mails.end',
  `UPDATE mails SET state = $2, error = $3, content = NULL, ended_at = $4 WHERE id = $1 AND state = 'sending'`,
);

const POSTPONE = new Statement(
  'mails.postpone',
  `UPDATE mails SET state = 'waiting', error = $2, retry_at = $3 WHERE id = $1 AND state = 'sending'`,
);

const DUE = new Statement<{ id: string }>(
  'mails.due',
  `UPDATE mails SET retry_at = NULL WHERE id = ANY (ARRAY(
     SELECT id FROM mails WHERE state = 'waiting' AND retry_at <= $1
      ORDER BY retry_at LIMIT 100 FOR UPDATE SKIP LOCKED))
   RETURNING id`,
);

/** Its worker died while it was sending: whether the mail went out is not known, and so it is not sent again. */
const ABANDON = new Statement(
  'mails.abandon',
  `UPDATE mails SET state = 'unknown', content = NULL, ended_at = $1,
                    error = 'The process ended while it was being sent.'
    WHERE state = 'sending' AND sending_since < $2`,
);

const FORGET = new Statement('mails.forget', 'DELETE FROM mails WHERE ended_at < $1');

/**
 * Mails, each sent once: it is stored in the transaction of what it tells, sent from a job when that has committed,
 * and tried again while it is certain that nobody has it. At rest its content is sealed, and gone when it is sent.
 */
@Injectable()
export class Mails implements OnModuleInit, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Mails');
  private timer: NodeJS.Timeout | null = null;
  private ticking: Promise<void> = Promise.resolve();

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly transaction: Transaction,
    private readonly jobs: Jobs,
    private readonly box: SecretBox,
    private readonly mailer: Mailer,
  ) {}

  /** Whether mails go out at all. */
  get enabled(): boolean {
    return this.settings.smtpUrl !== null;
  }

  onModuleInit(): void {
    this.jobs.work<{ id: string }>(QUEUE, 1, ({ id }) => this.deliver(id));
  }

  onApplicationBootstrap(): void {
    if (!this.enabled || this.settings.role === 'api') return;
    this.timer = setInterval(() => {
      this.ticking = this.tick().catch((error) =>
        this.logger.warn(`No mail is tried again: ${error.message}`),
      );
    }, TICK);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.ticking;
  }

  /**
   * Has a mail sent when the transaction commits; does nothing where no mails go out. `name` is what it is about:
   * a second one of the same name is not sent.
   */
  async send(name: string, message: Message): Promise<void> {
    if (!this.enabled) return;
    await this.transaction.run(async () => {
      const id = uuidv7();
      const content = this.box.seal(JSON.stringify(message), id);
      const [added] = await this.transaction.rows(ADD, [id, name, content, this.clock.now()]);
      if (added) await this.jobs.enqueue(QUEUE, [{ data: { id } }]);
    });
  }

  /** Enqueues what is to be tried again, and ends what nobody knows the end of. */
  async tick(): Promise<void> {
    const now = this.clock.now();
    await this.transaction.run(async () => {
      const due = await this.transaction.rows(DUE, [now]);
      await this.jobs.enqueue(
        QUEUE,
        due.map(({ id }) => ({ data: { id } })),
      );
    });
    this.jobs.nudge(QUEUE);
    await this.transaction.rows(ABANDON, [now, secondsFrom(now, -LONGEST_SENDING)]);
    await this.transaction.rows(FORGET, [secondsFrom(now, -KEPT_DAYS * 24 * 3600)]);
  }

  private async deliver(id: string): Promise<void> {
    const [mail] = await this.transaction.rows(TAKE, [id, this.clock.now()]);
    if (!mail) return;
    try {
      await this.mailer.deliver(id, JSON.parse(this.box.open(mail.content, id)) as Message);
      await this.transaction.rows(END, [id, 'sent', null, this.clock.now()]);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      const isTransient = error instanceof MailRefused && error.isTransient;
      this.logger.warn(`Mail ${id} was not sent${isTransient ? ' yet' : ''}: ${words}`);
      const now = this.clock.now();
      if (isTransient && mail.attempts < ATTEMPTS) {
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (mail.attempts - 1));
        await this.transaction.rows(POSTPONE, [id, words, secondsFrom(now, pause)]);
      } else {
        await this.transaction.rows(END, [id, 'failed', words, now]);
      }
    }
  }
}

const secondsFrom = (moment: Date, seconds: number): Date => new Date(moment.getTime() + seconds * 1000);
