import type { S3Client } from '@aws-sdk/client-s3';
import type { AddressPolicy } from '../../../shared/net/address-policy';
import { DeliveryFailed } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';

/** In milliseconds. */
const LONGEST_CONNECT = 10_000;
/**
 * In bytes. The SDK keeps a whole answer, however long the server makes it. The longest that is right is a list of a
 * thousand keys, each of a kilobyte at most, or some more when they are escaped.
 */
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** Without a byte in either direction. In milliseconds. */
const LONGEST_SILENCE = 60_000;

export const hasCredentials = ({ aws_access_key_id, aws_secret_access_key }: Config): boolean =>
  Boolean(aws_access_key_id) && Boolean(aws_secret_access_key);

/**
 * A client of what the configuration alone says: nothing of this server's own environment, files or role takes part.
 * It connects only where the policy lets it, and follows no redirect. End it with `destroy`.
 * @throws DeliveryFailed without credentials
 */
export async function s3ClientOf(config: Config, policy: AddressPolicy): Promise<S3Client> {
  if (!hasCredentials(config)) {
    throw new DeliveryFailed(
      'aws_access_key_id and aws_secret_access_key are missing; the server has no credentials of its own to use',
      false,
    );
  }
  // It takes a while to load, and not every server needs it.
  const { S3Client } = await import('@aws-sdk/client-s3');
  const endpoint =
    typeof config.endpoint_url === 'string' && config.endpoint_url ? config.endpoint_url : null;
  // Other servers often do not know the checksums that AWS wants where objects are locked.
  const checksums = endpoint === null ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED';
  const client = new S3Client({
    region: String(config.region),
    ...(endpoint === null ? {} : { endpoint }),
    credentials: {
      accessKeyId: String(config.aws_access_key_id),
      secretAccessKey: String(config.aws_secret_access_key),
    },
    forcePathStyle: config.use_virtual_style_addressing !== true,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    requestHandler: {
      httpAgent: policy.httpAgent(),
      httpsAgent: policy.httpsAgent(),
      connectionTimeout: LONGEST_CONNECT,
      socketTimeout: LONGEST_SILENCE,
    },
    // The run as a whole is repeated.
    maxAttempts: 2,
    // A request that expects 100-continue would go through an agent of the SDK's own; see requestHandler.
    expectContinueHeader: false,
    // What the environment and ~/.aws could say otherwise.
    ignoreConfiguredEndpointUrls: true,
    retryMode: 'standard',
    defaultsMode: 'standard',
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    userAgentAppId: 'hedgerow',
  });
  // Closest to the connection: what is thrown further out is taken for an answer that cannot be read.
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const response = result.response as { body: unknown };
      response.body = await limited(response.body as AsyncIterable<Buffer>);
      return result;
    },
    { step: 'deserialize', priority: 'low', name: 'longestAnswer' },
  );
  return client;
}

/** All of a body. Where there is too much, its connection is closed. */
async function limited(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) {
      const most = `${LONGEST_ANSWER / 1024 / 1024} MB`;
      throw new DeliveryFailed(`The S3 server sent more than ${most} in one answer`, false);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
