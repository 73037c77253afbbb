import type { S3Client } from '@aws-sdk/client-s3';
import type { AddressPolicy } from '../../../shared/net/address-policy';
import { DeliveryFailed } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';

/** In milliseconds. */
const LONGEST_CONNECT = 10_000;
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
  return new S3Client({
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
}
