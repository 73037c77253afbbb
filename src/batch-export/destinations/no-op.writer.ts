import { Injectable } from '@nestjs/common';
import type { Delivery, DeliveryProgress } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';
import { DestinationWriter } from './destination-writer';
import { linesIn, recordsOf } from './records';

/** Reads the records, counts them and writes nothing. */
@Injectable()
export class NoOpWriter extends DestinationWriter {
  async write(
    _config: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      for await (const chunk of await recordsOf(delivery, 'json-lines', signal)) {
        progress.wrote(linesIn(chunk as Buffer), 0);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }
}
