import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import type { ProcessMetrics, ToWorker } from './messages';

/** In milliseconds, for a process to tell its metrics; of one that is too busy, what it told last counts. */
const PATIENCE = 1_000;

/**
 * The metrics of all processes in one. What a process that has ended had counted, as far as it was ever told, goes on
 * being counted: a sum that went down would look as if everything had begun anew.
 */
export class MetricsOfAll {
  private readonly told = new Map<number, ProcessMetrics>();
  private readonly asked = new Map<string, () => void>();
  private ended: Promise<ProcessMetrics> = Promise.resolve([]);
  private round = 0;
  private underWay: Promise<string> | null = null;

  /** Who asks while they are being asked gets the same answer: scrapes by many do not keep the processes busy. */
  text(workers: readonly Worker[]): Promise<string> {
    this.underWay ??= this.collect(workers).finally(() => {
      this.underWay = null;
    });
    return this.underWay;
  }

  private async collect(workers: readonly Worker[]): Promise<string> {
    this.round += 1;
    const { round } = this;
    await Promise.all(workers.map((worker) => this.ask(worker, round)));
    return AggregatorRegistry.aggregate([...this.told.values(), [...(await this.ended)]]).metrics();
  }

  /** What a process answered to `text`. */
  take({ id }: Worker, round: number, metrics: ProcessMetrics): void {
    this.told.set(id, metrics);
    this.asked.get(`${id} ${round}`)?.();
  }

  /** To be called when a process has ended. */
  keepCountsOf({ id }: Worker): void {
    const counts = (this.told.get(id) ?? []).filter(({ type }) => COUNTS.includes(String(type)));
    this.told.delete(id);
    this.ended = this.ended.then((before) =>
      AggregatorRegistry.aggregate([[...before], counts]).getMetricsAsJSON(),
    );
  }

  private ask(worker: Worker, round: number): Promise<void> {
    const key = `${worker.id} ${round}`;
    return new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.asked.delete(key);
        resolve();
      };
      const timer = setTimeout(done, PATIENCE);
      this.asked.set(key, done);
      worker.send({ kind: 'tell metrics', round } satisfies ToWorker, (failure) => {
        if (failure) done();
      });
    });
  }
}

/** What is only ever counted up; the rest says how a process is, and ends with it. */
const COUNTS: readonly string[] = ['counter', 'histogram'];
