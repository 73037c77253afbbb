import type { CompletedPart, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { DeliveryFailed } from '../../domain/delivery';

/** In bytes. S3 takes 10,000 parts of an object. */
const PART_SIZE = 8 * 1024 * 1024;
const MOST_PARTS = 10_000;
const PARTS_AT_ONCE = 2;
/** An upload that failed is given up, but not waited for much longer. In milliseconds. */
const LONGEST_ABORT = 5_000;

export interface UploadedObject extends Pick<PutObjectCommandInput, 'ServerSideEncryption' | 'SSEKMSKeyId'> {
  readonly Bucket: string;
  readonly Key: string;
  readonly ContentType: string;
}

type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * Uploads an object, in parts where it is larger than one. It is seen when all of it is there; where that fails, no
 * upload is left open as far as the server can be reached.
 * @param confirm called before the object is there
 */
export async function uploadObject(
  client: S3Client,
  object: UploadedObject,
  content: Content,
  confirm: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { PutObjectCommand } = await import('@aws-sdk/client-s3');
  const parts = partsOf(content);
  try {
    const first = await parts.next();
    if (first.done || first.value.length < PART_SIZE) {
      const Body = first.done ? new Uint8Array() : first.value;
      await confirm();
      await client.send(new PutObjectCommand({ ...object, Body }), { abortSignal: signal });
    } else {
      await uploadParts(client, object, first.value, parts, confirm, signal);
    }
  } finally {
    await parts.return(undefined);
  }
}

async function uploadParts(
  client: S3Client,
  object: UploadedObject,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
  confirm: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const s3 = await import('@aws-sdk/client-s3');
  const { Bucket, Key } = object;
  const hasChecksums = (await client.config.requestChecksumCalculation()) === 'WHEN_SUPPORTED';
  const create = { ...object, ...(hasChecksums ? { ChecksumAlgorithm: s3.ChecksumAlgorithm.CRC32 } : {}) };
  const { UploadId } = await client.send(new s3.CreateMultipartUploadCommand(create), {
    abortSignal: signal,
  });
  const failed = new AbortController();
  const abortSignal = AbortSignal.any([signal, failed.signal]);
  const parts: Promise<CompletedPart>[] = [];
  const underWay = new Set<Promise<unknown>>();

  const upload = async (Body: Buffer) => {
    const PartNumber = parts.length + 1;
    if (PartNumber > MOST_PARTS) {
      throw new DeliveryFailed('The file is too large for S3: set max_file_size_mb', false);
    }
    const part = client
      .send(new s3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }), { abortSignal })
      .then(({ ETag, ChecksumCRC32 }) => ({ PartNumber, ETag, ChecksumCRC32 }));
    parts.push(part);
    const settled: Promise<unknown> = part.finally(() => underWay.delete(settled));
    settled.catch(() => undefined);
    underWay.add(settled);
    while (underWay.size >= PARTS_AT_ONCE) await Promise.race(underWay);
  };

  try {
    await upload(first);
    for await (const part of rest) await upload(part);
    const Parts = await Promise.all(parts);
    await confirm();
    const all = new s3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
    await client.send(all, { abortSignal: signal });
  } catch (error) {
    failed.abort();
    await Promise.allSettled(parts);
    const abort = new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId });
    // What is left open all the same is found by the next attempt.
    await client.send(abort, { abortSignal: AbortSignal.timeout(LONGEST_ABORT) }).catch(() => undefined);
    throw error;
  }
}

/** The same bytes in pieces of one size, but for the last, which is smaller, and may be empty. */
async function* partsOf(content: Content): AsyncGenerator<Buffer, void> {
  let part = Buffer.allocUnsafe(PART_SIZE);
  let length = 0;
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length; ) {
      const taken = chunk.subarray(at, at + PART_SIZE - length);
      part.set(taken, length);
      at += taken.length;
      length += taken.length;
      if (length < PART_SIZE) continue;
      yield part;
      part = Buffer.allocUnsafe(PART_SIZE);
      length = 0;
    }
  }
  if (length > 0) yield part.subarray(0, length);
}
