import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { AddressPolicy } from '../../shared/net/address-policy';
import type { Delivery, DeliveryProgress } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';
import { DestinationWriter } from './destination-writer';
import { OwnFailure, own, writeFiles } from './files/file-delivery';
import { fileFormatOf } from './files/file-format';
import { extended, FileNames } from './files/file-names';
import { abortUploads, deleteOthers, type Leftovers } from './s3/leftovers';
import { type UploadedObject, uploadObject } from './s3/object-upload';
import { s3ClientOf } from './s3/s3-client';
import { explained, isRefusal } from './s3/s3-failures';

/** Writes objects to a bucket of S3, or of a server that speaks as S3 does. */
@Injectable()
export class S3Writer extends DestinationWriter {
  private readonly policy: AddressPolicy;

  constructor({ allowPrivateDestinations }: Settings) {
    super();
    this.policy = new AddressPolicy(allowPrivateDestinations);
  }

  async write(
    config: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const format = fileFormatOf(config);
    const names = new FileNames(config, delivery, format.suffix, extended);
    const folder = names.prefix === '' || names.prefix.endsWith('/') ? names.prefix : `${names.prefix}/`;
    const Bucket = String(config.bucket_name);
    const object = (name: string): UploadedObject => ({
      Bucket,
      Key: folder + name,
      ContentType: name === names.manifest ? 'application/json' : 'application/octet-stream',
      ...encryptionOf(config),
    });
    const confirm = () => own(() => progress.confirm());
    const client = await s3ClientOf(config, this.policy);
    const leftovers: Leftovers = {
      client,
      Bucket,
      Prefix: folder + names.base,
      isOurs: (key) => names.include(key.slice(folder.length)),
      signal,
    };
    try {
      await unlessRefused(progress, 'uploads', () => abortUploads(leftovers));
      const written = await writeFiles(
        { config, delivery, progress, signal, format, names },
        (name, content) => uploadObject(client, object(name), content, confirm, signal),
      );
      const keys = written.map((name) => folder + name);
      if (names.areNumbered && keys.length > 0) {
        const manifest = object(names.manifest);
        await uploadObject(client, manifest, [Buffer.from(JSON.stringify({ files: keys }))], confirm, signal);
        keys.push(manifest.Key);
      }
      if (names.areNumbered || keys.length === 0) {
        await unlessRefused(progress, 'objects', () => deleteOthers(leftovers, new Set(keys)));
      }
      progress.log('INFO', `Wrote ${keys.length} object(s) to ${Bucket}/${folder}`);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof OwnFailure) throw error.reason;
      throw explained(error, [String(config.aws_access_key_id), String(config.aws_secret_access_key)]);
    } finally {
      client.destroy();
    }
  }
}

/** `aws:kms` without a key takes the one that the bucket's owner has in any case. */
const encryptionOf = ({ encryption, kms_key_id }: Config): Pick<UploadedObject, Encryption> => ({
  ...(encryption ? { ServerSideEncryption: encryption as UploadedObject['ServerSideEncryption'] } : {}),
  ...(kms_key_id ? { SSEKMSKeyId: String(kms_key_id) } : {}),
});

type Encryption = 'ServerSideEncryption' | 'SSEKMSKeyId';

/** Credentials that may only write are enough: what was left is then left. */
async function unlessRefused(
  progress: DeliveryProgress,
  what: string,
  work: () => Promise<number>,
): Promise<void> {
  try {
    const count = await work();
    if (count > 0) progress.log('INFO', `Removed ${count} ${what} of earlier attempts`);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    progress.log('DEBUG', `The credentials do not let us look for ${what} of earlier attempts`);
  }
}
