import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import {
  AWKWARD_EVENTS,
  eventOf,
  eventsOf,
  TestDelivery,
  TestProgress,
  type TestRecord,
} from '../../../test/support/delivery';
import { failureOf } from '../../../test/support/failure-of';
import { readRecords } from '../../../test/support/read-records';
import { S3_KEYS, type S3Request, S3Server } from '../../../test/support/s3-server';
import { Settings } from '../../config/settings';
import { AddressPolicy } from '../../shared/net/address-policy';
import { DeliveryFailed } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';
import { uploadObject } from './s3/object-upload';
import { s3ClientOf } from './s3/s3-client';
import { S3Writer } from './s3.writer';

const MEGABYTE = 1024 * 1024;
const NAME = '2025-01-01T00:00:00+00:00-2025-01-01T01:00:00+00:00';
/** Events of about a megabyte each. */
const largeEvents = (count: number): TestRecord[] =>
  Array.from({ length: count }, (_, number) =>
    eventOf(number, { properties: { text: 'x'.repeat(MEGABYTE) } }),
  );

describe('S3Writer', () => {
  let s3: S3Server;
  let writer: S3Writer;
  let abort: AbortController;

  beforeAll(async () => {
    s3 = await S3Server.start();
    writer = new S3Writer(Settings.from({ ALLOW_PRIVATE_DESTINATIONS: 'true' }));
  });

  beforeEach(() => {
    s3.reset();
    abort = new AbortController();
  });

  afterAll(() => s3.stop());

  const configOf = (config: Config = {}): Config => ({
    bucket_name: s3.bucket,
    region: 'eu-central-1',
    prefix: 'events/',
    aws_access_key_id: S3_KEYS.accessKeyId,
    aws_secret_access_key: S3_KEYS.secretAccessKey,
    endpoint_url: s3.url,
    file_format: 'JSONLines',
    ...config,
  });

  const write = (config: Config, delivery: TestDelivery, progress = new TestProgress()) =>
    writer.write(configOf(config), delivery, progress, abort.signal);

  const keys = () => [...s3.objects.keys()].sort();
  const bodyOf = (key: string): Buffer => s3.objects.get(key)?.body ?? Buffer.alloc(0);
  const recordsOf = async (delivery: TestDelivery, ...names: string[]): Promise<TestRecord[]> =>
    (await Promise.all(names.map((name) => readRecords(name, bodyOf(name), delivery.fields)))).flat();
  const faultOf = (
    operation: string,
    fault: Awaited<ReturnType<S3Server['fault']>>,
    first = 1,
    last = 1000,
  ) => {
    s3.fault = (request: S3Request) =>
      request.operation === operation && request.number >= first && request.number <= last
        ? fault
        : undefined;
  };

  it.each([
    ['JSONLines', null, 'jsonl'],
    ['JSONLines', 'gzip', 'jsonl.gz'],
    ['JSONLines', 'brotli', 'jsonl.br'],
    ['Parquet', null, 'parquet'],
    ['Parquet', 'zstd', 'parquet.zst'],
    ['Parquet', 'lz4', 'parquet.lz4'],
    ['Parquet', 'snappy', 'parquet.sz'],
    ['Parquet', 'gzip', 'parquet.gz'],
    ['Parquet', 'brotli', 'parquet.br'],
  ])(
    'puts an object of %s with compression %s, and tells how much it wrote',
    async (file_format, compression, suffix) => {
      const delivery = new TestDelivery(AWKWARD_EVENTS);
      const progress = new TestProgress();
      await write({ file_format, compression }, delivery, progress);
      const key = `events/${NAME}.${suffix}`;
      expect(keys()).toEqual([key]);
      await expect(recordsOf(delivery, key)).resolves.toEqual(AWKWARD_EVENTS);
      expect([progress.records, progress.bytes]).toEqual([AWKWARD_EVENTS.length, bodyOf(key).length]);
      expect(progress.confirmed).toBe(1);
    },
  );

  it.each([
    ['', `${NAME}.jsonl`],
    ['/a', `a/${NAME}.jsonl`],
    ['a/{year}-{month}-{day}T{hour}:{minute}/{table}/', `a/2025-01-01T00:00/events/${NAME}.jsonl`],
    ["ü &%+='*()!~", `ü &%+='*()!~/${NAME}.jsonl`],
  ])('makes keys of the prefix %j', async (prefix, key) => {
    await write({ prefix }, new TestDelivery([eventOf(1)]));
    expect(keys()).toEqual([key]);
  });

  it('uploads what is large in parts, and leaves no upload open', async () => {
    const records = largeEvents(20);
    const delivery = new TestDelivery(records);
    const progress = new TestProgress();
    await write({}, delivery, progress);
    expect(s3.requests.filter((request) => request.startsWith('UploadPart'))).toHaveLength(3);
    await expect(recordsOf(delivery, `events/${NAME}.jsonl`)).resolves.toEqual(records);
    expect(s3.uploads.size).toBe(0);
    expect(progress.records).toBe(20);
  });

  it('sends checksums that the server can check where it is to know them', async () => {
    const { S3Client } = await import('@aws-sdk/client-s3');
    const client = new S3Client({
      region: 'eu-central-1',
      endpoint: s3.url,
      forcePathStyle: true,
      credentials: S3_KEYS,
      requestChecksumCalculation: 'WHEN_SUPPORTED',
    });
    const object = { Bucket: s3.bucket, Key: 'k', ContentType: 'text/plain' };
    const content = [Buffer.alloc(9 * MEGABYTE, 'abc')];
    await uploadObject(client, object, content, async () => undefined, abort.signal);
    client.destroy();
    expect(bodyOf('k').equals(content[0] as Buffer)).toBe(true);
    expect(s3.checksums).toBe(2);
  });

  it('puts nothing where there are no records', async () => {
    await write({ max_file_size_mb: 1 }, new TestDelivery([]));
    expect(keys()).toEqual([]);
  });

  it('cuts into objects that a manifest lists; a repeat with fewer leaves no others of the run', async () => {
    const records = largeEvents(5);
    const delivery = new TestDelivery(records);
    const config = { max_file_size_mb: 2, prefix: '/e/' };
    s3.pageSize = 2;
    await write(config, delivery);
    const names = [0, 1, 2].map((number) => `e/${NAME}-${number}.jsonl`);
    const manifest = `e/${NAME}_manifest.json`;
    expect(keys()).toEqual([...names, manifest].sort());
    expect(JSON.parse(bodyOf(manifest).toString())).toEqual({ files: names });
    await expect(recordsOf(delivery, ...names)).resolves.toEqual(records);

    const other = { body: Buffer.from('of somebody else'), headers: {} };
    const others = [`e/${NAME}-0.jsonl.gz`, `e/${NAME}-01x.jsonl`, `e/${NAME}-more/0.jsonl`, 'z'];
    for (const key of others) s3.objects.set(key, other);
    await write(config, new TestDelivery(records.slice(0, 2)));
    expect(keys()).toEqual([names[0], manifest, ...others].sort());
    expect(JSON.parse(bodyOf(manifest).toString())).toEqual({ files: names.slice(0, 1) });

    await write(config, new TestDelivery([]));
    expect(keys()).toEqual([...others].sort());
  });

  it('overwrites what an attempt before it put', async () => {
    await write({}, new TestDelivery(eventsOf(5)));
    const delivery = new TestDelivery(eventsOf(3));
    await write({}, delivery);
    await expect(recordsOf(delivery, ...keys())).resolves.toEqual(eventsOf(3));
  });

  it('gives up the uploads that killed attempts of the run left open, and no others', async () => {
    const upload = (key: string) => s3.uploads.set(key, { key, parts: new Map(), headers: {} });
    const ours = `events/${NAME}.jsonl`;
    const theirs = ['events/another.jsonl', `events/${NAME}.jsonl.gz`];
    for (const key of [ours, ...theirs]) upload(key);
    upload(`${ours} `);
    s3.uploads.set('again', { key: ours, parts: new Map(), headers: {} });
    s3.pageSize = 1;
    const progress = new TestProgress();
    await write({}, new TestDelivery([eventOf(1)]), progress);
    expect([...s3.uploads.keys()].sort()).toEqual([...theirs, `${ours} `].sort());
    expect(progress.logs).toContainEqual(['INFO', 'Removed 2 uploads of earlier attempts']);
  });

  it('is content with credentials that may only write', async () => {
    s3.fault = ({ operation }) =>
      operation.startsWith('List') ? { status: 403, code: 'AccessDenied' } : undefined;
    const progress = new TestProgress();
    await write({ max_file_size_mb: 1 }, new TestDelivery([eventOf(1)]), progress);
    expect(keys()).toHaveLength(2);
    expect(progress.logs.filter(([level]) => level === 'DEBUG')).toHaveLength(2);
  });

  it.each([
    [{ encryption: 'AES256' }, { 'x-amz-server-side-encryption': 'AES256' }],
    [
      { encryption: 'aws:kms', kms_key_id: 'key-1' },
      { 'x-amz-server-side-encryption': 'aws:kms', 'x-amz-server-side-encryption-aws-kms-key-id': 'key-1' },
    ],
    [{ encryption: null, kms_key_id: null }, {}],
  ])('asks for encryption as %j says, of small objects and large ones', async (config, headers) => {
    for (const count of [1, 9]) {
      await write(config, new TestDelivery(largeEvents(count)));
      const { 'content-type': type, ...sent } = s3.objects.get(`events/${NAME}.jsonl`)?.headers ?? {};
      expect([type, sent]).toEqual(['application/octet-stream', headers]);
    }
  });

  describe('when something fails', () => {
    it.each([
      ['ListMultipartUploads', 1],
      ['PutObject', 1],
      ['CreateMultipartUpload', 9],
      ['UploadPart', 9],
      ['CompleteMultipartUpload', 9],
    ])('tries %s once more by itself', async (operation, count) => {
      faultOf(operation, { status: 503, code: 'SlowDown' }, 1, 1);
      const delivery = new TestDelivery(largeEvents(count));
      await write({}, delivery);
      await expect(recordsOf(delivery, ...keys())).resolves.toHaveLength(count);
    });

    it.each([
      [
        'PutObject',
        1,
        { status: 500, code: 'InternalError', message: 'We broke' },
        '500 InternalError: We broke',
      ],
      ['UploadPart', 20, { status: 503, code: 'SlowDown', message: 'Slow' }, '503 SlowDown: Slow'],
      ['UploadPart', 20, { status: 429, code: 'TooMany', message: 'Less' }, '429 TooMany: Less'],
      [
        'UploadPart',
        20,
        { status: 400, code: 'RequestTimeout', message: 'Idle' },
        '400 RequestTimeout: Idle',
      ],
      ['UploadPart', 20, { status: 404, code: 'NoSuchUpload', message: 'Gone' }, '404 NoSuchUpload: Gone'],
    ] as const)('%s of %s MB: what may pass is transient (%j)', async (operation, count, fault, words) => {
      faultOf(operation, fault);
      await expect(failureOf(write({}, new TestDelivery(largeEvents(count))))).resolves.toEqual({
        message: `The S3 server answered ${words}`,
        isTransient: true,
      });
      expect([keys(), s3.uploads.size]).toEqual([[], 0]);
    });

    it.each([
      ['PutObject', 1, { status: 403, code: 'AccessDenied', message: 'Access Denied' }],
      ['CreateMultipartUpload', 9, { status: 403, code: 'AccessDenied', message: 'Not you' }],
      ['UploadPart', 9, { status: 400, code: 'KeyTooLongError', message: 'Too long' }],
      ['PutObject', 1, { status: 301, code: 'PermanentRedirect', message: 'Go to another endpoint' }],
      ['CompleteMultipartUpload', 9, { status: 400, code: 'InvalidPart', message: 'Which?' }],
    ] as const)('%s of %s MB: what will not pass is final (%j)', async (operation, count, fault) => {
      faultOf(operation, fault);
      await expect(failureOf(write({}, new TestDelivery(largeEvents(count))))).resolves.toEqual({
        message: `The S3 server answered ${fault.status} ${fault.code}: ${fault.message}`,
        isTransient: false,
      });
      expect([keys(), s3.uploads.size]).toEqual([[], 0]);
    });

    it.each([
      [{ aws_access_key_id: 'AKIANOBODY' }, 'InvalidAccessKeyId'],
      [{ aws_secret_access_key: 'not the secret' }, 'SignatureDoesNotMatch'],
      [{ bucket_name: 'another' }, 'NoSuchBucket'],
    ])('%j is refused for good', async (config, code) => {
      const failure = await failureOf(write(config, new TestDelivery([eventOf(1)])));
      expect(failure).toEqual({ message: expect.stringContaining(code), isTransient: false });
    });

    it.each([
      [
        'answers without end',
        '<Upload/>'.repeat(100_000),
        Number.POSITIVE_INFINITY,
        'The S3 server sent more than 4 MB in one answer',
      ],
      [
        'has ever another page',
        '<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>',
        1,
        'The S3 server lists more than 100 pages of what this run left',
      ],
    ])('a server that %s is given up for good', async (_, text, times, message) => {
      let sent = 0;
      function* answer() {
        yield '<ListMultipartUploadsResult>';
        for (let time = 0; time < times; time += 1) {
          sent += text.length;
          yield text;
        }
        yield '</ListMultipartUploadsResult>';
      }
      const evil = createServer((_, response) => {
        pipeline(Readable.from(answer()), response, () => {});
      }).listen(0, '127.0.0.1');
      await once(evil, 'listening');
      try {
        const endpoint_url = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
        const failure = await failureOf(write({ endpoint_url }, new TestDelivery([eventOf(1)])));
        expect(failure).toEqual({ message, isTransient: false });
        expect(sent).toBeLessThan(64 * MEGABYTE);
      } finally {
        evil.closeAllConnections();
        evil.close();
      }
    });

    it('repeats no secret', async () => {
      const { accessKeyId, secretAccessKey } = S3_KEYS;
      const message = `${secretAccessKey} of ${accessKeyId} (${encodeURIComponent(secretAccessKey)}) is bad`;
      faultOf('PutObject', { status: 403, code: 'Forbidden', message });
      await expect(failureOf(write({}, new TestDelivery([eventOf(1)])))).resolves.toMatchObject({
        message: 'The S3 server answered 403 Forbidden: *** of *** (***) is bad',
      });
    });

    it.each([
      ['ListMultipartUploads', 1],
      ['PutObject', 1],
      ['UploadPart', 20],
    ])('a connection that is cut in %s is transient', async (operation, count) => {
      faultOf(operation, 'reset');
      await expect(failureOf(write({}, new TestDelivery(largeEvents(count))))).resolves.toMatchObject({
        message: expect.stringMatching(/^The S3 server cannot be reached: .*(ECONNRESET|EPIPE|hang up)/),
        isTransient: true,
      });
      expect([keys(), s3.uploads.size]).toEqual([[], 0]);
    });

    it('a server that is down is transient', async () => {
      const down = await S3Server.start();
      const endpoint_url = down.url;
      await down.stop();
      const failure = failureOf(write({ endpoint_url }, new TestDelivery([eventOf(1)])));
      await expect(failure).resolves.toMatchObject({
        message: expect.stringContaining('ECONNREFUSED'),
        isTransient: true,
      });
    });

    it.each([
      [502, true],
      [413, false],
    ])('an answer %s that is none of S3 is told by its number', async (status, isTransient) => {
      const proxy = createServer((request, response) => {
        request.resume();
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html><h1>Bad gateway</h1></html>');
      });
      await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
      const endpoint_url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
      await expect(failureOf(write({ endpoint_url }, new TestDelivery([eventOf(1)])))).resolves.toEqual({
        message: `The S3 server answered ${status}`,
        isTransient,
      });
      proxy.close();
    });

    it('ends soon when it has to, though the server is silent, and leaves no upload', async () => {
      const why = new Error('cancelled');
      s3.fault = ({ operation, number }) => {
        if (operation !== 'UploadPart' || number < 2) return undefined;
        setImmediate(() => abort.abort(why));
        return 'silence';
      };
      const delivery = new TestDelivery(largeEvents(30));
      await expect(write({}, delivery)).rejects.toBe(why);
      expect([keys(), s3.uploads.size]).toEqual([[], 0]);
      expect(delivery.streams.every(({ destroyed }) => destroyed)).toBe(true);
    });

    it('completes nothing for a run that is no longer its own', async () => {
      const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET', syscall: 'read' });
      for (const count of [1, 9]) {
        await expect(write({}, new TestDelivery(largeEvents(count)), new TestProgress(lost))).rejects.toBe(
          lost,
        );
        expect([keys(), s3.uploads.size]).toEqual([[], 0]);
      }
    });

    it('tells of records that could not be read as they do, and leaves no upload', async () => {
      const lost = Object.assign(new Error('PostgreSQL is gone'), { code: 'ECONNRESET' });
      const delivery = new TestDelivery([]);
      delivery.read = async () =>
        Readable.from(
          (async function* () {
            for (const event of largeEvents(12)) yield Buffer.from(`${JSON.stringify(event)}\n`);
            throw lost;
          })(),
          { objectMode: false },
        );
      await expect(write({}, delivery)).rejects.toBe(lost);
      expect([keys(), s3.uploads.size]).toEqual([[], 0]);
    });

    it('a value that Parquet cannot hold is final', async () => {
      const fields = [{ name: 'n', type: 'integer' as const }];
      const delivery = new TestDelivery([{ n: 1.5 }], { fields });
      await expect(failureOf(write({ file_format: 'Parquet' }, delivery))).resolves.toEqual({
        message: "1.5 in field 'n' is no whole number of 64 bits",
        isTransient: false,
      });
    });
  });

  describe('as a guest on this machine', () => {
    const before = { ...process.env };
    let elsewhere: Server;
    let asked = 0;

    beforeAll(async () => {
      elsewhere = createServer((_, response) => {
        asked += 1;
        response.end();
      });
      await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    });

    afterEach(() => {
      process.env = { ...before };
    });

    afterAll(() => {
      elsewhere.close();
    });

    const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    it.each([
      { aws_access_key_id: null, aws_secret_access_key: null },
      { aws_access_key_id: 'AKIA', aws_secret_access_key: undefined },
      { aws_access_key_id: '', aws_secret_access_key: 'secret' },
    ])('never uses credentials of the server: %j', async (config) => {
      Object.assign(process.env, {
        AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
        AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
        AWS_EC2_METADATA_SERVICE_ENDPOINT: urlOf(elsewhere),
      });
      await expect(failureOf(write(config, new TestDelivery([eventOf(1)])))).resolves.toEqual({
        message: expect.stringMatching(/^aws_access_key_id and aws_secret_access_key are missing/),
        isTransient: false,
      });
      expect([s3.requests, asked]).toEqual([[], 0]);
    });

    it('goes nowhere that the environment says', async () => {
      process.env.AWS_ENDPOINT_URL = urlOf(elsewhere);
      process.env.AWS_ENDPOINT_URL_S3 = urlOf(elsewhere);
      const hosts: string[] = [];
      const policy = new AddressPolicy(true);
      Object.assign(policy, {
        lookup: (host: string, _: unknown, callback: (error: Error) => void) => {
          hosts.push(host);
          callback(Object.assign(new Error('no DNS here'), { code: 'ENODATA' }));
        },
      });
      const client = await s3ClientOf(configOf({ endpoint_url: null }), policy);
      const { ListObjectsV2Command } = await import('@aws-sdk/client-s3');
      await expect(client.send(new ListObjectsV2Command({ Bucket: 'a.b' }))).rejects.toThrow('no DNS here');
      client.destroy();
      expect([...new Set(hosts)]).toEqual(['s3.eu-central-1.amazonaws.com']);
      expect(asked).toBe(0);
    });

    it.each(['small', 'large'])('follows no redirect with a %s object', async (size) => {
      const redirecting = createServer((request, response) => {
        request.resume();
        response.writeHead(307, { location: urlOf(elsewhere) }).end();
      });
      await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
      const delivery = new TestDelivery(largeEvents(size === 'small' ? 1 : 9));
      const failure = await failureOf(write({ endpoint_url: urlOf(redirecting) }, delivery));
      expect(failure.message).toContain('The S3 server answered 307');
      expect(asked).toBe(0);
      redirecting.close();
    });

    it.each(['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'http://169.254.169.254'])(
      'does not connect to %s where private addresses are refused',
      async (endpoint_url) => {
        const strict = new S3Writer(Settings.from({ ALLOW_PRIVATE_DESTINATIONS: 'false' }));
        const progress = new TestProgress();
        const delivery = new TestDelivery(largeEvents(9));
        await expect(
          failureOf(strict.write(configOf({ endpoint_url }), delivery, progress, abort.signal)),
        ).resolves.toEqual({
          message: expect.stringMatching(/^The S3 server cannot be used: .* is not a public address$/),
          isTransient: false,
        });
      },
    );

    it('sends large parts through the same guard', async () => {
      // The SDK has an agent of its own for requests that expect 100-continue, as large ones do by default.
      const client = await s3ClientOf(configOf(), new AddressPolicy(false));
      const object = { Bucket: s3.bucket, Key: 'k', ContentType: 'text/plain' };
      const content = [Buffer.alloc(7 * MEGABYTE)];
      const upload = uploadObject(client, object, content, async () => undefined, abort.signal);
      await expect(upload).rejects.toThrow('is not a public address');
      client.destroy();
      expect(s3.requests).toEqual([]);
    });
  });

  it('is a DeliveryFailed that tells what it was by its cause', async () => {
    faultOf('PutObject', { status: 403, code: 'AccessDenied' });
    const error = await write({}, new TestDelivery([eventOf(1)])).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(DeliveryFailed);
    expect((error as Error).cause).toMatchObject({ name: 'AccessDenied' });
  });
});
