import cluster, { type Worker } from 'node:cluster';
import { Logger } from '@nestjs/common';
import type { Settings } from '../config/settings';
import type { FromWorker, ToWorker } from './messages';
import { MetricsOfAll } from './metrics-of-all';

/** In milliseconds: longer than a process takes to drain, which it may do no more when it hangs. */
const STOP_PATIENCE = 15_000;
/** Before a process that ended is started again, twice as long each time that it did not serve for a minute. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 30_000;
const SERVED_WELL = 60_000;

/** Why no processes serve, in the words of the first one that did not start. */
export class WorkersFailed extends Error {}

/**
 * The processes that serve (`WEB_CONCURRENCY`), each as the only one would: they share the address and the database,
 * nothing else. This one hands connections on to them, keeps their number up, and ends when they have.
 */
export class Workers {
  private readonly logger = new Logger('Workers');
  private readonly metrics = new MetricsOfAll();
  private readonly living = new Set<Worker>();
  private readonly serving = new Set<Worker>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  private readonly env: NodeJS.ProcessEnv;
  private stopping = false;
  private started = false;
  private onServing: (port: number) => void = () => undefined;
  private onFailure: (error: WorkersFailed) => void = () => undefined;

  /** @param settings with a database and keys, which the processes are given */
  constructor(private readonly settings: Settings) {
    const { databaseUrl, secretKeys } = settings;
    this.env = { DATABASE_URL: databaseUrl ?? '', SECRET_KEY: secretKeys.join(',') };
    // JSON has no NaN, which a metric may be.
    cluster.setupPrimary({ serialization: 'advanced' });
    // However this process ends, none that it started goes on.
    process.once('exit', () => this.kill());
  }

  /** Resolves with the port when all serve. @throws WorkersFailed when one ends before that */
  start(): Promise<number> {
    return new Promise<number>((resolve, reject) => {
      this.onServing = resolve;
      this.onFailure = reject;
      for (let number = 1; number <= this.settings.webConcurrency; number += 1) this.fork(0);
    });
  }

  /** Has all of them drain, and waits until they have ended. */
  async stop(): Promise<void> {
    this.stopping = true;
    for (const pause of this.pauses) clearTimeout(pause);
    const ends = [...this.living].map((worker) => new Promise((ended) => worker.once('exit', ended)));
    for (const worker of this.living) tell(worker, { kind: 'stop' });
    const impatience = setTimeout(() => this.kill(), STOP_PATIENCE);
    await Promise.all(ends);
    clearTimeout(impatience);
  }

  private kill(): void {
    for (const worker of this.living) worker.process.kill('SIGKILL');
  }

  /** @param failures how many times in a row a process in this place ended without having served for long */
  private fork(failures: number): void {
    const worker = cluster.fork(this.env);
    let why: string | null = null;
    let servesSince: number | null = null;
    this.living.add(worker);
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'not started') why = message.why;
      if (message.kind === 'metrics') this.metrics.take(worker, message.round, message.metrics);
      if (message.kind === 'metrics wanted') void this.tellMetrics(worker, message.question);
      if (message.kind !== 'serving') return;
      servesSince = Date.now();
      this.serving.add(worker);
      if (this.serving.size < this.settings.webConcurrency) return;
      this.started = true;
      this.onServing(message.port);
    });
    // What cannot be told to a process that ends; its end follows.
    worker.on('error', () => undefined);
    worker.once('exit', (code, signal) => {
      this.living.delete(worker);
      this.serving.delete(worker);
      this.metrics.keepCountsOf(worker);
      if (this.stopping) return;
      const end = signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
      const story = why ?? `A process that was to serve ${end} before it served.`;
      if (!this.started) return this.onFailure(new WorkersFailed(story));
      const isWell = servesSince !== null && (code === 0 || Date.now() - servesSince >= SERVED_WELL);
      this.logger.warn(
        servesSince === null ? story : `Process ${worker.process.pid} ${end}; another one is started`,
      );
      this.forkLater(isWell ? 0 : failures + 1);
    });
  }

  private forkLater(failures: number): void {
    const pause = setTimeout(
      () => {
        this.pauses.delete(pause);
        this.fork(failures);
      },
      failures === 0 ? 0 : Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)),
    );
    this.pauses.add(pause);
  }

  private async tellMetrics(worker: Worker, question: number): Promise<void> {
    const text = await this.metrics.text([...this.serving]);
    tell(worker, { kind: 'metrics of all', question, text });
  }
}

function tell(worker: Worker, message: ToWorker): void {
  // One that is not there any more need not be told.
  worker.send(message, () => undefined);
}
