import { DestinationWriter } from '../../src/batch-export/destinations/destination-writer';
import { DestinationWriters } from '../../src/batch-export/destinations/destination-writers';
import type { Delivery, DeliveryProgress } from '../../src/batch-export/domain/delivery';
import type { Config } from '../../src/batch-export/domain/destination-rules';

export type Script = (
  delivery: Delivery,
  progress: DeliveryProgress,
  signal: AbortSignal,
  config: Config,
) => Promise<void>;

/** Reads all records, as a destination would that takes everything at once. */
export const takeAll: Script = async (delivery, progress) => {
  for await (const chunk of await delivery.read('json-lines', delivery.cursor)) {
    const text = String(chunk);
    progress.wrote(text.split('\n').length - 1, Buffer.byteLength(text));
  }
};

/** Goes on until it is told to end. */
export const block: Script = (_delivery, _progress, signal) =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });

/** Stands for every destination; does what the test says. */
export class ScriptedWriter extends DestinationWriter {
  script: Script = takeAll;
  /** What was written so far, oldest first. */
  readonly deliveries: Delivery[] = [];
  readonly signals: AbortSignal[] = [];
  /** How many write now, and the most that ever did at once. */
  active = 0;
  mostActive = 0;

  /** To be started with, in place of the real ones. */
  get provider(): [unknown, unknown] {
    return [DestinationWriters, { of: () => this }];
  }

  async write(
    config: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void> {
    this.deliveries.push(delivery);
    this.signals.push(signal);
    this.active += 1;
    this.mostActive = Math.max(this.mostActive, this.active);
    try {
      await this.script(delivery, progress, signal, config);
    } finally {
      this.active -= 1;
    }
  }
}
