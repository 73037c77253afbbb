import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Settings } from '../../config/settings';
import { Clock } from '../domain/clock';
import { Statement } from '../persistence/statement';
import { Transaction } from '../persistence/transaction';
import { bucketOf, type RateWindow, type Standing, standing } from './rate-window';

/** How often processes tell one another what they counted, in milliseconds. */
const SYNC = 1_000;
/** How often what no window counts any more is deleted, in seconds. */
const PRUNING = 60;
/** The most callers that are counted at once: addresses are cheap to come by. */
const MOST_SUBJECTS = 100_000;

const ADD = new Statement(
  'limits.add',
  `INSERT INTO rate_limit_counts AS c (subject, length, bucket, requests)
   SELECT * FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::integer[])
   ON CONFLICT (subject, length, bucket) DO UPDATE SET requests = c.requests + excluded.requests`,
);

interface CountRow {
  readonly subject: string;
  readonly length: number;
  readonly bucket: string;
  readonly requests: number;
}

const READ = new Statement<CountRow>(
  'limits.read',
  `SELECT subject, length, bucket, requests FROM rate_limit_counts
    WHERE (subject, length) IN (SELECT * FROM unnest($1::text[], $2::integer[])) AND bucket > $3 - 2 * length`,
);

const PRUNE = new Statement(
  'limits.prune',
  `DELETE FROM rate_limit_counts c USING (SELECT DISTINCT length FROM rate_limit_counts) AS w
    WHERE c.length = w.length AND c.bucket < $1 - 2 * w.length`,
);

/** What is known of one caller in one window: what all processes have told, and what this one has yet to tell. */
class Count {
  told = new Map<number, number>();
  untold = new Map<number, number>();
  lastUse = 0;

  constructor(
    readonly subject: string,
    readonly window: RateWindow,
  ) {}

  standing(now: number): Standing {
    const all = new Map(this.told);
    for (const [bucket, requests] of this.untold) all.set(bucket, (all.get(bucket) ?? 0) + requests);
    return standing(this.window, all, now);
  }

  add(now: number): void {
    const bucket = bucketOf(this.window, now);
    this.untold.set(bucket, (this.untold.get(bucket) ?? 0) + 1);
    this.lastUse = now;
  }

  isOver(now: number): boolean {
    return this.lastUse + this.window.bucket + this.window.seconds < now;
  }
}

/**
 * Counts requests by caller (RATE). Every process decides by itself, at the cost of a look into a map, and once a
 * second adds what it counted to the database and reads what the others did: together they may let through what
 * arrives in that second, not more. Nothing where `RATE_LIMIT_ENABLED` is off.
 */
@Injectable()
export class RateLimits implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('RateLimits');
  private readonly counts = new Map<string, Count>();
  private timer: NodeJS.Timeout | null = null;
  private syncing: Promise<void> | null = null;
  private lastPruning = 0;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly transaction: Transaction,
  ) {}

  get enabled(): boolean {
    return this.settings.rateLimitEnabled;
  }

  /** Where a caller stands in each window, before this request. */
  standings(subject: string, windows: readonly RateWindow[]): Standing[] {
    const now = this.now();
    return windows.map((window) => this.count(subject, window).standing(now));
  }

  /** Counts a request. */
  add(subject: string, windows: readonly RateWindow[]): void {
    const now = this.now();
    for (const window of windows) this.count(subject, window).add(now);
  }

  onApplicationBootstrap(): void {
    if (!this.enabled) return;
    this.timer = setInterval(() => {
      this.sync().catch((error) => this.logger.warn(`Counts are not shared: ${error.message}`));
    }, SYNC);
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.syncing?.catch(() => undefined);
  }

  /** Tells the other processes what was counted here, and reads what they told. */
  async sync(): Promise<void> {
    this.syncing ??= this.exchange().finally(() => {
      this.syncing = null;
    });
    await this.syncing;
  }

  private async exchange(): Promise<void> {
    const now = this.now();
    for (const [key, count] of this.counts) if (count.isOver(now)) this.counts.delete(key);
    const counts = [...this.counts.values()];
    if (counts.length === 0) return;
    const news = counts.flatMap((count) =>
      [...count.untold].map(([bucket, requests]) => ({ count, bucket, requests })),
    );
    if (news.length > 0) {
      // In one order in every process, so that none waits for another in a circle.
      news.sort((a, b) => (keyOf(a.count) < keyOf(b.count) ? -1 : 1) || a.bucket - b.bucket);
      await this.transaction.rows(ADD, [
        news.map(({ count }) => count.subject),
        news.map(({ count }) => count.window.seconds),
        news.map(({ bucket }) => bucket),
        news.map(({ requests }) => requests),
      ]);
      // Told now; what came meanwhile stays.
      for (const { count, bucket, requests } of news) {
        const left = (count.untold.get(bucket) ?? 0) - requests;
        if (left > 0) count.untold.set(bucket, left);
        else count.untold.delete(bucket);
        count.told.set(bucket, (count.told.get(bucket) ?? 0) + requests);
      }
    }
    const rows = await this.transaction.rows(READ, [
      counts.map(({ subject }) => subject),
      counts.map(({ window }) => window.seconds),
      Math.floor(now),
    ]);
    const told = new Map<string, Map<number, number>>();
    for (const { subject, length, bucket, requests } of rows) {
      const key = `${subject} ${length}`;
      told.set(key, (told.get(key) ?? new Map<number, number>()).set(Number(bucket), requests));
    }
    for (const count of counts) count.told = told.get(keyOf(count)) ?? new Map();
    if (now - this.lastPruning < PRUNING) return;
    this.lastPruning = now;
    await this.transaction.rows(PRUNE, [Math.floor(now)]);
  }

  private count(subject: string, window: RateWindow): Count {
    const key = keyOf({ subject, window });
    const known = this.counts.get(key);
    if (known) return known;
    const [oldest] = this.counts.keys();
    if (this.counts.size >= MOST_SUBJECTS && oldest !== undefined) this.counts.delete(oldest);
    const count = new Count(subject, window);
    this.counts.set(key, count);
    return count;
  }

  private now(): number {
    return this.clock.now().getTime() / 1000;
  }
}

const keyOf = ({ subject, window }: Pick<Count, 'subject' | 'window'>): string =>
  `${subject} ${window.seconds}`;
