import { once } from 'node:events';
import { get as getHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import type { AddressPolicy } from '../../shared/net/address-policy';
import { HostTrouble } from './host-trouble';

/** What opens an origin (`https://api.example.com`); it is sent nowhere else, whatever redirects there are. */
export interface Credential {
  readonly origin: string;
  readonly token: string;
}

export interface Question {
  readonly accept?: string;
  readonly credential: Credential | null;
}

export interface HostAnswer {
  readonly bytes: Buffer;
  readonly etag: string | null;
}

const MOST_REDIRECTS = 5;
const REDIRECTS = [301, 302, 303, 307, 308];
const ABSENT = [404, 409, 410, 422];

/** GET requests for one plugin, within the address policy and until the signal. */
export class HostConnection {
  constructor(
    private readonly policy: AddressPolicy,
    /** Whether hosts may be asked without TLS: those of a private network. */
    private readonly plainHttp: boolean,
    readonly signal: AbortSignal,
  ) {}

  /**
   * Follows redirects.
   * @param largest in bytes, of what it may answer
   * @throws HostTrouble
   */
  async get(url: string, question: Question, largest: number): Promise<HostAnswer> {
    const answer = await this.getUnless(null, url, question, largest);
    if (!answer) throw new HostTrouble('failed', 'it answered 304');
    return answer;
  }

  /** As `get`, but null when it is still what the host called `etag`. */
  async getUnless(
    etag: string | null,
    url: string,
    question: Question,
    largest: number,
  ): Promise<HostAnswer | null> {
    let address = url;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const response = await this.ask(address, question, etag);
      const { statusCode: status = 0, headers } = response;
      if (status === 200) return { bytes: await bytesOf(response, largest), etag: etagOf(headers) };
      response.destroy();
      if (status === 304 && etag !== null) return null;
      if (!REDIRECTS.includes(status)) throw refusalOf(status, headers);
      address = nextOf(address, headers.location);
    }
    throw new HostTrouble('failed', `it redirects more than ${MOST_REDIRECTS} times`);
  }

  private async ask(
    address: string,
    { accept = '*/*', credential }: Question,
    etag: string | null,
  ): Promise<IncomingMessage> {
    const url = new URL(address);
    const secure = url.protocol === 'https:';
    if (!secure && !(url.protocol === 'http:' && this.plainHttp)) {
      throw new HostTrouble('failed', 'its address has no TLS');
    }
    const options = {
      agent: secure ? this.policy.httpsAgent() : this.policy.httpAgent(),
      signal: this.signal,
      headers: {
        Accept: accept,
        'Accept-Encoding': 'identity',
        'User-Agent': 'Hedgerow',
        // One connection for each request, so that none is left open.
        Connection: 'close',
        ...(etag !== null ? { 'If-None-Match': etag } : {}),
        ...(credential?.origin === url.origin ? { Authorization: `Bearer ${credential.token}` } : {}),
      },
    };
    try {
      const request = secure ? getHttps(url, options) : getHttp(url, options);
      // What goes wrong once there is a response is told by its stream.
      request.on('error', () => undefined);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return response;
    } catch (error) {
      throw HostTrouble.of(error);
    }
  }
}

async function bytesOf(response: IncomingMessage, largest: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > largest) throw new HostTrouble('oversized', `larger than ${largest} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw HostTrouble.of(error);
  }
  return Buffer.concat(chunks);
}

/** Null for one that nobody would keep. */
function etagOf({ etag = '' }: IncomingHttpHeaders): string | null {
  return /^[\x21-\x7e]{1,500}$/.test(etag) ? etag : null;
}

function nextOf(address: string, location = ''): string {
  if (!URL.canParse(location, address)) throw new HostTrouble('failed', 'it redirects to no address');
  const url = new URL(location, address);
  // They would be sent to whatever host the redirect names.
  url.username = '';
  url.password = '';
  return url.href;
}

function refusalOf(status: number, headers: IncomingHttpHeaders): HostTrouble {
  const limited = status === 403 && (headers['x-ratelimit-remaining'] === '0' || headers['retry-after']);
  if (status === 429 || limited) {
    return new HostTrouble('failed', `it limits how often it is asked (${status}), try again later`);
  }
  if (ABSENT.includes(status) || status === 401 || status === 403)
    return new HostTrouble('absent', String(status));
  return new HostTrouble('failed', `it answered ${status}`);
}
