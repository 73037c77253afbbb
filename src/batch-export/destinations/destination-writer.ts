import type { Delivery, DeliveryProgress } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';

/** Writes the records of a run to one type of destination. */
export abstract class DestinationWriter {
  /**
   * Ends when every record is kept by the destination exactly once, whatever attempts of the same run were made
   * before, and wherever they ended. In constant memory.
   * @param config with the defaults of what is not given, and with the secrets
   * @param signal aborted when the attempt has to end: `write` then rejects soon, and leaves nothing open
   * @throws DeliveryFailed when the destination does not take them
   */
  abstract write(
    config: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void>;
}
