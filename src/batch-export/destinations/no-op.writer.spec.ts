import { eventsOf, TestDelivery, TestProgress } from '../../../test/support/delivery';
import { NoOpWriter } from './no-op.writer';

describe('NoOpWriter', () => {
  const writer = new NoOpWriter();

  it('counts the records and writes none', async () => {
    const progress = new TestProgress();
    const delivery = new TestDelivery(eventsOf(1234), { chunk: 100 });
    await writer.write({}, delivery, progress, new AbortController().signal);
    expect([progress.records, progress.bytes]).toEqual([1234, 0]);
  });

  it('ends when it is to end', async () => {
    const stop = new AbortController();
    const reason = new Error('The run was cancelled');
    const half = eventsOf(500).at(-1);
    const records = (function* () {
      for (const event of eventsOf(1000)) {
        if (event.uuid === half?.uuid) stop.abort(reason);
        yield event;
      }
    })();
    const delivery = new TestDelivery(records, { chunk: 100 });
    await expect(writer.write({}, delivery, new TestProgress(), stop.signal)).rejects.toBe(reason);
    expect(delivery.streams.every(({ destroyed }) => destroyed)).toBe(true);
  });
});
