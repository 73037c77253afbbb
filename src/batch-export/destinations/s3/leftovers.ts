import type { S3Client } from '@aws-sdk/client-s3';
import { DeliveryFailed } from '../../domain/delivery';

/** Of one list, a thousand entries each: no run leaves as much, but a list of an evil server never ends. */
const MOST_PAGES = 100;

/** What earlier attempts of a run have left: keys that begin with `Prefix`, as far as `isOurs` knows them. */
export interface Leftovers {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Prefix: string;
  isOurs(key: string): boolean;
  readonly signal: AbortSignal;
}

/** Ends the uploads that were begun and neither completed nor given up. @returns how many there were */
export async function abortUploads({ client, Bucket, Prefix, isOurs, signal }: Leftovers): Promise<number> {
  const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await import('@aws-sdk/client-s3');
  const options = { abortSignal: signal };
  let markers: { KeyMarker?: string; UploadIdMarker?: string } | null = {};
  let aborted = 0;
  for (let pages = 1; markers !== null; pages += 1) {
    checkPages(pages);
    const page: {
      Uploads?: { Key?: string; UploadId?: string }[];
      IsTruncated?: boolean;
      NextKeyMarker?: string;
      NextUploadIdMarker?: string;
    } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...markers }), options);
    for (const { Key = '', UploadId } of page.Uploads ?? []) {
      if (!isOurs(Key)) continue;
      await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), options);
      aborted += 1;
    }
    markers = page.IsTruncated
      ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
      : null;
  }
  return aborted;
}

/** Deletes the objects that this attempt did not write. @returns how many there were */
export async function deleteOthers(
  { client, Bucket, Prefix, isOurs, signal }: Leftovers,
  written: ReadonlySet<string>,
): Promise<number> {
  const { DeleteObjectCommand, paginateListObjectsV2 } = await import('@aws-sdk/client-s3');
  let deleted = 0;
  let pages = 0;
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client },
    { Bucket, Prefix },
    { abortSignal: signal },
  )) {
    pages += 1;
    checkPages(pages);
    for (const { Key = '' } of Contents) {
      if (!isOurs(Key) || written.has(Key)) continue;
      await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal: signal });
      deleted += 1;
    }
  }
  return deleted;
}

function checkPages(count: number): void {
  if (count <= MOST_PAGES) return;
  throw new DeliveryFailed(`The S3 server lists more than ${MOST_PAGES} pages of what this run left`, false);
}
