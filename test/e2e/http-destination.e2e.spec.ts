import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { HttpWriter } from '../../src/batch-export/destinations/http.writer';
import { cursorOf, DeliveryFailed } from '../../src/batch-export/domain/delivery';
import { Settings } from '../../src/config/settings';
import { TestApi } from '../support/api';
import {
  AWKWARD_EVENTS,
  eventOf,
  eventsOf,
  TestDelivery,
  TestProgress,
  type TestRecord,
} from '../support/delivery';

const TOKEN = 'phc_sw0rdfish';

const settings = (env: NodeJS.ProcessEnv = {}) =>
  Settings.from({
    SECRET_KEY: 'a secret key for tests and for tests alone',
    DATABASE_URL: 'postgres://h/d',
    ...env,
  });

class ImpatientWriter extends HttpWriter {
  protected override readonly patience = 200;
}

interface Batch {
  readonly api_key: string;
  readonly historical_migration: boolean;
  readonly batch: readonly Record<string, unknown>[];
}

type Reply = (response: ServerResponse, batch: Batch, request: IncomingMessage) => void;

/** What another server does with what it gets. */
class Receiver {
  readonly batches: Batch[] = [];
  readonly requests: IncomingMessage[] = [];
  readonly lengths: number[] = [];
  connections = 0;
  /** For the next requests, in order; the others are taken. */
  readonly replies: Reply[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.take(request, response));
    this.server.on('connection', () => {
      this.connections += 1;
    });
  }

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get events(): readonly Record<string, unknown>[] {
    return this.batches.flatMap(({ batch }) => batch);
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = gunzipSync(Buffer.concat(chunks)).toString();
    const batch = JSON.parse(text) as Batch;
    this.requests.push(request);
    const reply = this.replies.shift();
    if (reply) return reply(response, batch, request);
    this.batches.push(batch);
    this.lengths.push(text.length);
    answer(response, 200, { status: 1 });
  }
}

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const captured = ({ uuid, event, distinct_id, properties, timestamp, ...record }: TestRecord) => ({
  uuid,
  event,
  distinct_id,
  properties: {
    ...(properties as object),
    ...(record.set === null ? {} : { $set: record.set }),
    ...(record.set_once === null ? {} : { $set_once: record.set_once }),
  },
  timestamp,
});

describe('The destination HTTP', () => {
  let receiver: Receiver;
  const writer = new HttpWriter(settings());

  beforeEach(async () => {
    receiver = await new Receiver().start();
  });
  afterEach(() => receiver.stop());

  const write = async (
    delivery: TestDelivery,
    {
      url = receiver.url,
      by = writer,
      progress = new TestProgress(),
      signal = new AbortController().signal,
    } = {},
  ): Promise<TestProgress> => {
    await by.write({ url, token: TOKEN }, delivery, progress, signal);
    return progress;
  };
  const failureOf = (...args: Parameters<typeof write>): Promise<unknown> =>
    write(...args).then(
      () => 'it was written',
      (error: unknown) => error,
    );
  const failed = (isTransient: boolean, message: unknown) =>
    expect.objectContaining({ constructor: DeliveryFailed, isTransient, message });
  const host = () => new URL(receiver.url).host;

  it('sends events as capture endpoints take them, in gzipped batches on one connection', async () => {
    const events = [...eventsOf(1200), ...AWKWARD_EVENTS];
    const progress = await write(new TestDelivery(events, { chunk: 101 }));
    expect(receiver.batches.map(({ batch }) => batch.length)).toEqual([500, 500, 210]);
    expect(receiver.events).toEqual(events.map(captured));
    for (const { api_key, historical_migration } of receiver.batches) {
      expect([api_key, historical_migration]).toEqual([TOKEN, true]);
    }
    expect(
      receiver.requests.map(({ method, url, headers }) => [method, url, headers['content-encoding']]),
    ).toEqual(Array(3).fill(['POST', '/batch/', 'gzip']));
    expect(receiver.connections).toBe(1);
    expect(progress.records).toBe(1210);
    expect(progress.bytes).toBeGreaterThan(1210 * 100);
    expect(progress.cursors).toEqual(
      [events[499], events[999], events[1209]].map((event) => cursorOf(event as never)),
    );
    expect(progress.logs).toEqual([]);
  });

  it('sends $set and $set_once, whether the properties have them or not', async () => {
    const facts = { set: { plan: 'pro' }, set_once: { first: 1 } };
    const inside = { $set: { plan: 'pro' }, $set_once: { first: 1 }, $unset: ['x'] };
    await write(new TestDelivery([eventOf(1, facts), eventOf(2, { ...facts, properties: inside })]));
    expect(receiver.events.map(({ properties }) => properties)).toEqual([
      { number: 1, $set: { plan: 'pro' }, $set_once: { first: 1 } },
      inside,
    ]);
  });

  it('sends large events in small batches, one beyond the size alone', async () => {
    const large = (number: number, size: number) =>
      eventOf(number, { properties: { text: 'x'.repeat(size) } });
    await write(
      new TestDelivery([large(1, 600_000), large(2, 600_000), large(3, 3_000_000), large(4, 1), large(5, 1)]),
    );
    expect(receiver.batches.map(({ batch }) => batch.length)).toEqual([1, 1, 1, 2]);
  });

  it('sends nothing where there is nothing', async () => {
    expect((await write(new TestDelivery([]))).cursors).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  it.each([
    ['', '/batch/'],
    ['/', '/batch/'],
    ['/?a=b', '/batch/?a=b'],
    ['/batch/', '/batch/'],
    ['/i/v0/e/', '/i/v0/e/'],
    ['/proxy/batch', '/proxy/batch'],
  ])('a url that ends with "%s" is that of %s', async (path, requested) => {
    await write(new TestDelivery(eventsOf(1)), { url: receiver.url + path });
    expect(receiver.requests.map(({ url }) => url)).toEqual([requested]);
  });

  it('goes on behind what an attempt before reached', async () => {
    const events = eventsOf(1100);
    receiver.replies.push((response, batch) => {
      receiver.batches.push(batch);
      answer(response, 200, {});
    });
    receiver.replies.push((response) => answer(response, 503, { detail: 'Down for a moment' }));
    const progress = new TestProgress();
    expect(await failureOf(new TestDelivery(events), { progress })).toEqual(
      failed(true, `${host()} answered 503: Down for a moment`),
    );
    const [cursor = null] = progress.cursors;
    expect(cursor).toBe(cursorOf(events[499] as never));
    await write(new TestDelivery(events, { cursor }), { progress });
    expect(receiver.events).toEqual(events.map(captured));
    expect(progress.records).toBe(1100);
  });

  it('tells of events that the receiver did not take', async () => {
    const rejected = [{ index: 1, uuid: null, code: 'required', detail: `No ${TOKEN} here` }];
    receiver.replies.push((response) => answer(response, 200, { status: 'Ok', accepted: 2, rejected }));
    receiver.replies.push((response) => answer(response, 200, { rejected: Array(9).fill('no') }));
    const progress = await write(new TestDelivery(eventsOf(3)));
    expect(progress.logs).toEqual([
      [
        'WARNING',
        'The receiver did not take 1 of 3 events: {"index":1,"uuid":null,"code":"required","detail":"No *** here"}',
      ],
    ]);
    expect(progress.records).toBe(2);
    const other = await write(new TestDelivery(eventsOf(20)));
    expect(other.logs).toEqual([
      ['WARNING', 'The receiver did not take 9 of 20 events: "no", "no", "no", ...'],
    ]);
  });

  describe('fails', () => {
    const one = () => new TestDelivery(eventsOf(1));

    it.each([
      [500, true],
      [502, true],
      [503, true],
      [408, true],
      [429, true],
      [400, false],
      [401, false],
      [404, false],
      [413, false],
    ])('with %i: to be tried again? %s', async (status, isTransient) => {
      receiver.replies.push((response) =>
        answer(response, status, { detail: 'So it is' }, { 'Retry-After': '30' }),
      );
      expect(await failureOf(one())).toEqual(
        failed(isTransient, `${host()} answered ${status}: So it is; retry after 30`),
      );
      await write(one());
      expect(receiver.events).toHaveLength(1);
    });

    it('with the words of the receiver, but no more of them than fit, and no token', async () => {
      receiver.replies.push((response) =>
        answer(response, 401, `<h1>No ${TOKEN}</h1>\n\n${'x'.repeat(200_000)}`),
      );
      const failure = await failureOf(one());
      expect(failure).toEqual(failed(false, expect.stringContaining('answered 401: <h1>No ***</h1> xxxx')));
      expect((failure as Error).message.length).toBeLessThan(600);
    });

    it.each([
      ['before', (response: ServerResponse) => response.destroy()],
      [
        'amid',
        (response: ServerResponse) => {
          response.writeHead(200, { 'Content-Length': 1000 });
          response.write('{"sta', () => response.destroy());
        },
      ],
    ])('for now when the connection is reset %s the answer', async (_, cut) => {
      receiver.replies.push(cut);
      expect(await failureOf(one())).toEqual(failed(true, expect.any(String)));
    });

    it.each([
      ['says nothing', () => {}],
      [
        'never ends its answer',
        (response: ServerResponse) => {
          response.writeHead(200);
          response.write('{');
        },
      ],
    ])('for now when the receiver %s', async (_, slow) => {
      receiver.replies.push(slow);
      expect(await failureOf(one(), { by: new ImpatientWriter(settings()) })).toEqual(
        failed(true, `${host()} did not answer within 0.2 s`),
      );
    });

    it('for now when nobody listens', async () => {
      const { url } = receiver;
      await receiver.stop();
      expect(await failureOf(one(), { url })).toEqual(
        failed(true, `connect ECONNREFUSED ${new URL(url).host}`),
      );
      receiver = await new Receiver().start();
    });

    it('when it is redirected, wherever to', async () => {
      const inner = await new Receiver().start();
      receiver.replies.push((response) => answer(response, 307, '', { Location: `${inner.url}/batch/` }));
      expect(await failureOf(one())).toEqual(
        failed(
          false,
          `${host()} answered 307: redirects to ${inner.url}/batch/, which is not followed: give that url`,
        ),
      );
      expect(inner.connections).toBe(0);
      await inner.stop();
    });

    it.each(['127.0.0.1', 'localhost', '[::1]'])('when private addresses are none: %s', async (name) => {
      const by = new HttpWriter(settings({ ALLOW_PRIVATE_DESTINATIONS: 'false' }));
      const url = receiver.url.replace('127.0.0.1', name);
      expect(await failureOf(one(), { by, url })).toEqual(
        failed(false, expect.stringMatching(/^(127\.0\.0\.1|localhost|\[?::1\]?) is not a public address$/)),
      );
      expect(receiver.connections).toBe(0);
    });

    it('for persons, and for the records of a query', async () => {
      const message = 'Destination HTTP exports events as they are captured only';
      expect(await failureOf(new TestDelivery([], { model: 'persons' }))).toEqual(failed(false, message));
      expect(await failureOf(new TestDelivery([], { fields: [] }))).toEqual(failed(false, message));
    });
  });

  it('uses another connection when the one it kept was ended meanwhile', async () => {
    receiver.replies.push((response, batch) => {
      receiver.batches.push(batch);
      answer(response, 200, {});
    });
    receiver.replies.push((_, __, request) => request.socket.resetAndDestroy());
    await write(new TestDelivery(eventsOf(1000)));
    expect([receiver.connections, receiver.events.length]).toEqual([2, 1000]);
  });

  it('ends at once when it is to end', async () => {
    const stop = new AbortController();
    const reason = new Error('The run was cancelled');
    receiver.replies.push(() => stop.abort(reason));
    const delivery = new TestDelivery(eventsOf(2000));
    expect(await failureOf(delivery, { signal: stop.signal })).toBe(reason);
    expect(delivery.streams.every(({ destroyed }) => destroyed)).toBe(true);
    const before = new TestDelivery(eventsOf(1));
    expect(await failureOf(before, { signal: stop.signal })).toBe(reason);
    expect(before.streams).toEqual([]);
  });

  it('passes on an error of the source as it is', async () => {
    const broken = new Error('connection to our own database lost');
    const records = (function* () {
      yield* eventsOf(700);
      throw broken;
    })();
    expect(await failureOf(new TestDelivery(records, { chunk: 1000 }))).toBe(broken);
  });

  it('feeds another Hedgerow, once however often it is repeated', async () => {
    const api = await TestApi.start();
    try {
      const owner = await api.owner();
      const [project] = await api.rows<{ api_token: string }>(
        'SELECT api_token FROM projects WHERE id = $1',
        [owner.projectId],
      );
      const events = [
        ...eventsOf(600),
        ...AWKWARD_EVENTS.filter(({ event, distinct_id }) => event && distinct_id),
      ];
      const config = { url: api.url, token: project?.api_token };
      for (const progress of [new TestProgress(), new TestProgress()]) {
        await writer.write(config, new TestDelivery(events), progress, new AbortController().signal);
        expect([progress.records, progress.logs]).toEqual([events.length, []]);
      }
      const rows = await api.rows('SELECT uuid, event, distinct_id, properties FROM events ORDER BY uuid');
      const sent = events.map(captured).map(({ timestamp: _, ...rest }) => rest);
      expect(rows).toEqual(sent);
      const wrong = { ...config, token: 'phc_nobody_has_this' };
      const failure = writer.write(
        wrong,
        new TestDelivery(events),
        new TestProgress(),
        new AbortController().signal,
      );
      await expect(failure).rejects.toEqual(failed(false, expect.stringContaining('answered 401')));
    } finally {
      await api.stop();
    }
  });
});
