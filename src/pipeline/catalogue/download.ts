import { once } from 'node:events';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import type { AddressPolicy } from '../../shared/net/address-policy';

/** Why a download failed, in one line for the log; never the query of an address, which may hold a secret. */
export class DownloadFailed extends Error {}

interface Limits {
  readonly policy: AddressPolicy;
  /** In milliseconds, for all of it. */
  readonly timeout: number;
  /** In bytes. */
  readonly largest: number;
}

export interface Download {
  readonly text: string;
  /** What names this version of the text, where the source says so. */
  readonly etag: string | null;
}

const MOST_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308];

/** The text at an address, or null when it is still the version of `etag`. @throws DownloadFailed */
export async function download(url: string, etag: string | null, limits: Limits): Promise<Download | null> {
  const signal = AbortSignal.timeout(limits.timeout);
  try {
    let address = url;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const response = await answerOf(address, etag, limits.policy, signal);
      const { statusCode = 0, headers } = response;
      if (statusCode === 200) return { text: await textOf(response, limits), etag: headers.etag ?? null };
      response.destroy();
      if (statusCode === 304 && etag !== null) return null;
      if (!REDIRECTS.includes(statusCode)) throw new DownloadFailed(`it answered ${statusCode}`);
      address = nextOf(address, headers.location);
    }
    throw new DownloadFailed(`it redirected more than ${MOST_REDIRECTS} times`);
  } catch (error) {
    if (error instanceof DownloadFailed) throw error;
    if (signal.aborted) throw new DownloadFailed(`it took longer than ${limits.timeout / 1000} s`);
    throw new DownloadFailed((error as Error).message);
  }
}

async function answerOf(
  url: string,
  etag: string | null,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const secure = url.startsWith('https:');
  const agent = secure ? policy.httpsAgent() : policy.httpAgent();
  const headers = {
    Accept: 'application/json',
    'Accept-Encoding': 'identity',
    'User-Agent': 'Hedgerow',
    // One connection for each request: they are rare, and an agent that is left behind would hold it open.
    Connection: 'close',
    ...(etag === null ? {} : { 'If-None-Match': etag }),
  };
  const request = secure
    ? getHttps(url, { agent, headers, signal })
    : getHttp(url, { agent, headers, signal });
  // What goes wrong once there is a response is told by its stream.
  request.on('error', () => undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage, { largest }: Limits): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largest) throw new DownloadFailed(`it is larger than ${largest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function nextOf(address: string, location = ''): string {
  if (!URL.canParse(location, address)) throw new DownloadFailed('it redirected to no address');
  const { protocol, href } = new URL(location, address);
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new DownloadFailed('it redirected to no http or https address');
  }
  return href;
}
