import cluster from 'node:cluster';
import type { Metrics } from '../shared/http/metrics';
import type { Shutdown } from '../shutdown';
import type { FromWorker, ToWorker } from './messages';

/** The process that started this one, which serves beside others (see `Workers`). */
export class Primary {
  private readonly questions = new Map<number, (text: string) => void>();
  private metrics: Metrics | null = null;
  private lastQuestion = 0;

  constructor(shutdown: Shutdown) {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'stop') shutdown.begin('Asked to stop', 0);
      if (message.kind === 'tell metrics') void this.tellMetrics(message.round);
      if (message.kind === 'metrics of all') this.questions.get(message.question)?.(message.text);
    });
    const { worker } = cluster;
    worker?.once('disconnect', () => {
      // Else Node would end this process at once, with what it is answering.
      worker.exitedAfterDisconnect = true;
      shutdown.begin('The process that started this one is gone', 1);
    });
  }

  /** Has `/metrics` tell those of all processes, whichever of them is asked. */
  gathers(metrics: Metrics): void {
    this.metrics = metrics;
    metrics.gather = () =>
      new Promise<string>((resolve) => {
        this.lastQuestion += 1;
        const question = this.lastQuestion;
        this.questions.set(question, (text) => {
          this.questions.delete(question);
          resolve(text);
        });
        tell({ kind: 'metrics wanted', question });
      });
  }

  hearsServing(port: number): void {
    tell({ kind: 'serving', port });
  }

  /** Ends this process. */
  hearsFailure(why: string): void {
    tell({ kind: 'not started', why }, () => process.exit(1));
  }

  private async tellMetrics(round: number): Promise<void> {
    const metrics = (await this.metrics?.values()) ?? [];
    tell({ kind: 'metrics', round, metrics });
  }
}

function tell(message: FromWorker, then: () => void = () => undefined): void {
  // Whoever hears no more has ended, and this process with it.
  if (process.connected) process.send?.(message, undefined, {}, then);
  else then();
}
