import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32 } from 'node:zlib';
import { faultOfSignature } from './s3-signature';

export interface S3Object {
  readonly body: Buffer;
  /** Those that were sent with it: `content-type`, and what begins with `x-amz-server-side-encryption`. */
  readonly headers: Readonly<Record<string, string>>;
}

interface Upload extends Pick<S3Object, 'headers'> {
  readonly key: string;
  readonly parts: Map<number, Buffer>;
}

/** One request, as far as a fault wants to know it. */
export interface S3Request {
  readonly operation: string;
  readonly key: string;
  /** Of its kind, from 1. */
  readonly number: number;
}

/** In place of the answer: an error, a connection cut before the answer, or no answer at all. */
export type S3Fault = { status: number; code: string; message?: string } | 'reset' | 'silence';

export const S3_KEYS = { accessKeyId: 'AKIAHEDGEROW', secretAccessKey: 's3cret/of+the=tests' };

const SMALLEST_PART = 5 * 1024 * 1024;
const KEPT_HEADERS = /^(content-type$|x-amz-server-side-encryption)/;

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string = code,
  ) {
    super(message);
  }
}

/**
 * An S3 server in this process, with one bucket: objects, multipart uploads, lists in pages, signatures that are
 * checked. Faults can be made of any request.
 */
export class S3Server {
  readonly bucket = 'exports';
  readonly objects = new Map<string, S3Object>();
  readonly uploads = new Map<string, Upload>();
  /** Every request, as its operation and key. */
  readonly requests: string[] = [];
  /** Asked of each request before anything is done. */
  fault: (request: S3Request) => S3Fault | undefined | Promise<S3Fault | undefined> = () => undefined;
  /** How many checksums of bodies were right. */
  checksums = 0;
  /** How many entries a list has at most. */
  pageSize = 1000;
  private readonly counts = new Map<string, number>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<S3Server> {
    const server = createServer();
    const s3 = new S3Server(server);
    server.on('request', (request, response) => void s3.serve(request, response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return s3;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets all, and is well again. */
  reset(): void {
    this.objects.clear();
    this.uploads.clear();
    this.requests.length = 0;
    this.counts.clear();
    this.checksums = 0;
    this.fault = () => undefined;
    this.pageSize = 1000;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      const url = new URL(request.url ?? '', this.url);
      const [bucket = '', ...rest] = url.pathname.slice(1).split('/');
      const key = decodeURIComponent(rest.join('/'));
      const operation = operationOf(request.method ?? '', key, url.searchParams);
      this.requests.push(`${operation} ${key}`);
      const number = (this.counts.get(operation) ?? 0) + 1;
      this.counts.set(operation, number);
      const fault = await this.fault({ operation, key, number });
      if (fault === 'silence') return;
      if (fault === 'reset') {
        request.socket.resetAndDestroy();
        return;
      }
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (fault) throw new Refusal(fault.status, fault.code, fault.message);
      const body = Buffer.concat(chunks);
      const wrong = faultOfSignature(request, body, { [S3_KEYS.accessKeyId]: S3_KEYS.secretAccessKey });
      if (wrong) throw new Refusal(wrong === 'XAmzContentSHA256Mismatch' ? 400 : 403, wrong);
      if (bucket !== this.bucket) throw new Refusal(404, 'NoSuchBucket', 'The bucket does not exist');
      this.checkSum(request, body);
      this.answer(operation, key, url.searchParams, request, body, response);
    } catch (error) {
      if (!(error instanceof Refusal)) return void response.destroy();
      const { status, code, message } = error;
      const xml = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
      response.writeHead(status, { 'content-type': 'application/xml' }).end(status === 304 ? '' : xml);
    }
  }

  private checkSum(request: IncomingMessage, body: Buffer): void {
    const sum = request.headers['x-amz-checksum-crc32'];
    if (sum === undefined) return;
    const own = Buffer.alloc(4);
    own.writeUInt32BE(crc32(body));
    if (own.toString('base64') !== sum) throw new Refusal(400, 'BadDigest');
    this.checksums += 1;
  }

  private answer(
    operation: string,
    key: string,
    query: URLSearchParams,
    request: IncomingMessage,
    body: Buffer,
    response: ServerResponse,
  ): void {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => KEPT_HEADERS.test(name)),
    ) as Record<string, string>;
    const xml = (text: string) =>
      response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`);
    switch (operation) {
      case 'PutObject':
        this.objects.set(key, { body, headers });
        response.writeHead(200, { etag: etagOf(body) }).end();
        return;
      case 'DeleteObject':
        this.objects.delete(key);
        response.writeHead(204).end();
        return;
      case 'ListObjectsV2': {
        const { page, next } = this.page([...this.objects.keys()].sort(), query, 'continuation-token');
        const contents = page.map((name) => `<Contents><Key>${xmlOf(name)}</Key></Contents>`).join('');
        const more = `<IsTruncated>${next !== null}</IsTruncated>`;
        const token = next === null ? '' : `<NextContinuationToken>${xmlOf(next)}</NextContinuationToken>`;
        xml(`<ListBucketResult>${more}${token}${contents}</ListBucketResult>`);
        return;
      }
      case 'ListMultipartUploads': {
        const keys = [...new Set([...this.uploads.values()].map((upload) => upload.key))].sort();
        const { page, next } = this.page(keys, query, 'key-marker');
        const uploads = [...this.uploads].filter(([, upload]) => page.includes(upload.key));
        const entries = uploads.map(
          ([id, upload]) => `<Upload><Key>${xmlOf(upload.key)}</Key><UploadId>${id}</UploadId></Upload>`,
        );
        const marker = next === null ? '' : `<NextKeyMarker>${xmlOf(next)}</NextKeyMarker>`;
        const more = `<IsTruncated>${next !== null}</IsTruncated>${marker}`;
        xml(`<ListMultipartUploadsResult>${more}${entries.join('')}</ListMultipartUploadsResult>`);
        return;
      }
      case 'CreateMultipartUpload': {
        const id = randomUUID();
        this.uploads.set(id, { key, parts: new Map(), headers });
        xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
        return;
      }
      case 'UploadPart':
        this.uploadOf(query).parts.set(Number(query.get('partNumber')), body);
        response.writeHead(200, { etag: etagOf(body) }).end();
        return;
      case 'CompleteMultipartUpload':
        this.objects.set(key, completed(this.uploadOf(query), body.toString()));
        this.uploads.delete(String(query.get('uploadId')));
        xml(`<CompleteMultipartUploadResult><Key>${xmlOf(key)}</Key></CompleteMultipartUploadResult>`);
        return;
      case 'AbortMultipartUpload':
        this.uploadOf(query);
        this.uploads.delete(String(query.get('uploadId')));
        response.writeHead(204).end();
        return;
      default:
        throw new Refusal(501, 'NotImplemented');
    }
  }

  private uploadOf(query: URLSearchParams): Upload {
    const upload = this.uploads.get(String(query.get('uploadId')));
    if (!upload) throw new Refusal(404, 'NoSuchUpload', 'The specified upload does not exist.');
    return upload;
  }

  /** Those that come after the marker; the last of a page is the marker of the next. */
  private page(keys: string[], query: URLSearchParams, marker: string) {
    const after = query.get(marker) ?? '';
    const found = keys.filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after);
    const page = found.slice(0, this.pageSize);
    return { page, next: found.length > page.length ? (page.at(-1) ?? null) : null };
  }
}

function operationOf(method: string, key: string, query: URLSearchParams): string {
  const of = (...parts: string[]) => parts.includes(`${method}${query.has('uploadId') ? ' uploadId' : ''}`);
  if (query.has('uploads')) return method === 'GET' ? 'ListMultipartUploads' : 'CreateMultipartUpload';
  if (of('PUT uploadId')) return 'UploadPart';
  if (of('POST uploadId')) return 'CompleteMultipartUpload';
  if (of('DELETE uploadId')) return 'AbortMultipartUpload';
  if (of('PUT')) return 'PutObject';
  if (of('DELETE')) return 'DeleteObject';
  return key === '' && query.get('list-type') === '2' ? 'ListObjectsV2' : `${method} object`;
}

/** The object of the parts that the list names, in its order. */
function completed({ parts, headers }: Upload, list: string): S3Object {
  const named = [...list.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(.*?)</.exec(part)?.[1]?.replaceAll('&quot;', '"'),
  }));
  const bodies = named.map(({ number, etag }, index) => {
    const body = parts.get(number);
    if (!body || etagOf(body) !== etag) throw new Refusal(400, 'InvalidPart');
    if (number !== index + 1) throw new Refusal(400, 'InvalidPartOrder');
    if (index < named.length - 1 && body.length < SMALLEST_PART) throw new Refusal(400, 'EntityTooSmall');
    return body;
  });
  return { body: Buffer.concat(bodies), headers };
}

const etagOf = (body: Buffer): string => `"${hash('md5', body, 'hex')}"`;

const xmlOf = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
