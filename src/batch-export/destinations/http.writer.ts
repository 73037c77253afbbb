import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { AddressPolicy } from '../../shared/net/address-policy';
import { cursorOf, type Delivery, DeliveryFailed, type DeliveryProgress } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';
import { DestinationWriter } from './destination-writer';
import { CaptureClient, type Receipt } from './http/capture-client';
import { linesOf, recordsOf } from './records';
import { wordsOf } from './words';

/** What a batch has at most; capture endpoints take 20 MB. A larger event is a batch by itself. */
const MOST_EVENTS = 500;
const MOST_BYTES = 1024 * 1024;
/** How many refused events a log entry tells of. */
const TOLD_EVENTS = 3;

interface EventRecord {
  readonly uuid: string;
  readonly event: string;
  readonly distinct_id: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly timestamp: string;
  readonly created_at: string;
  readonly set: unknown;
  readonly set_once: unknown;
}

/**
 * Sends events to a capture endpoint, such as another Hedgerow's. It knows events by their uuid, so what is sent again
 * after an attempt that failed is there once.
 */
@Injectable()
export class HttpWriter extends DestinationWriter {
  /** How long a request may take, in milliseconds. */
  protected patience = 60_000;
  private readonly policy: AddressPolicy;

  constructor({ allowPrivateDestinations }: Settings) {
    super();
    this.policy = new AddressPolicy(allowPrivateDestinations);
  }

  async write(
    { url, token }: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void> {
    if (delivery.model !== 'events' || delivery.isQuery) {
      throw new DeliveryFailed('Destination HTTP exports events as they are captured only', false);
    }
    const client = new CaptureClient(String(url), String(token), this.policy, this.patience, signal);
    let batch: string[] = [];
    let bytes = 0;
    let last: EventRecord | null = null;
    const send = async () => {
      if (last === null || batch.length === 0) return;
      const receipt = await client.send(batch);
      if (receipt.accepted < batch.length)
        progress.log('WARNING', complaint(receipt, batch.length, String(token)));
      progress.wrote(receipt.accepted, bytes);
      progress.reached(cursorOf(last));
      batch = [];
      bytes = 0;
    };
    try {
      for await (const line of linesOf(await recordsOf(delivery, 'json-lines', signal, delivery.cursor))) {
        if (batch.length === MOST_EVENTS || bytes + line.length > MOST_BYTES) await send();
        const record = JSON.parse(line.toString()) as EventRecord;
        batch.push(captured(record));
        bytes += line.length;
        last = record;
      }
      await send();
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      client.close();
    }
  }
}

/** An event as capture endpoints take it. */
function captured({ uuid, event, distinct_id, timestamp, ...record }: EventRecord): string {
  const told = {
    ...(record.set === null ? {} : { $set: record.set }),
    ...(record.set_once === null ? {} : { $set_once: record.set_once }),
  };
  return JSON.stringify({
    uuid,
    event,
    distinct_id,
    properties: { ...record.properties, ...told },
    timestamp,
  });
}

function complaint({ accepted, rejected }: Receipt, sent: number, token: string): string {
  const told = rejected.slice(0, TOLD_EVENTS).map((entry) => JSON.stringify(entry));
  const reasons =
    told.length === 0 ? '' : `: ${told.join(', ')}${rejected.length > told.length ? ', ...' : ''}`;
  return wordsOf(`The receiver did not take ${sent - accepted} of ${sent} events${reasons}`, [token]);
}
