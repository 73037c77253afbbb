import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { AddressPolicy } from '../../../shared/net/address-policy';
import { DeliveryFailed } from '../../domain/delivery';
import { codeOf, isPassing, messageOf } from '../connection-errors';
import { wordsOf } from '../words';

/** How much of an answer is read, in bytes. */
const LONGEST_ANSWER = 64 * 1024;

const zipped = promisify(gzip);

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface Receipt {
  readonly accepted: number;
  readonly rejected: readonly unknown[];
}

/** Sends batches to a capture endpoint, one after another on a connection that is kept. */
export class CaptureClient {
  private readonly endpoint: URL;
  private readonly agent: ReturnType<AddressPolicy['httpAgent' | 'httpsAgent']>;

  /**
   * @param url of the endpoint; without a path it is that of `/batch/`
   * @param patience how long a request may take, in milliseconds
   */
  constructor(
    url: string,
    private readonly token: string,
    policy: AddressPolicy,
    private readonly patience: number,
    private readonly signal: AbortSignal,
  ) {
    this.endpoint = new URL(url);
    if (this.endpoint.pathname === '/') this.endpoint.pathname = '/batch/';
    this.agent = this.endpoint.protocol === 'https:' ? policy.httpsAgent() : policy.httpAgent();
  }

  /**
   * @param events as JSON
   * @returns how many the receiver took, and what it says of others, as Hedgerow does
   * @throws DeliveryFailed, or what the signal says
   */
  async send(events: readonly string[]): Promise<Receipt> {
    const head = `{"api_key":${JSON.stringify(this.token)},"historical_migration":true,"batch":[`;
    const body = await zipped(`${head}${events.join(',')}]}`);
    const { status, headers, text } = await this.answerTo(body);
    if (status >= 200 && status < 300) return receiptIn(text, events.length);
    throw this.refused(status, headers, text);
  }

  close(): void {
    this.agent.destroy();
  }

  private async answerTo(body: Buffer): Promise<Answer> {
    const late = AbortSignal.timeout(this.patience);
    const either = AbortSignal.any([this.signal, late]);
    try {
      return await this.exchange(body, either);
    } catch (error) {
      if (this.signal.aborted) throw this.signal.reason;
      const message = late.aborted
        ? `${this.endpoint.host} did not answer within ${this.patience / 1000} s`
        : messageOf(error);
      const isTransient = late.aborted || isPassing(error);
      throw new DeliveryFailed(wordsOf(message, [this.token]), isTransient, { cause: error });
    }
  }

  private exchange(body: Buffer, signal: AbortSignal): Promise<Answer> {
    const send = this.endpoint.protocol === 'https:' ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const request = send(this.endpoint, {
        method: 'POST',
        agent: this.agent,
        signal,
        headers: {
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
          'Content-Length': body.length,
          'User-Agent': 'Hedgerow',
        },
      });
      request.on('error', (error) => {
        // The other side may end a connection that was kept at the moment it is used again.
        const isStale = request.reusedSocket && codeOf(error) === 'ECONNRESET' && !signal.aborted;
        if (isStale) this.exchange(body, signal).then(resolve, reject);
        else reject(error);
      });
      request.on('response', (response) => {
        textOf(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
          reject,
        );
      });
      request.end(body);
    });
  }

  private refused(status: number, headers: Answer['headers'], text: string): DeliveryFailed {
    const { host } = this.endpoint;
    const wait = headers['retry-after'];
    const said =
      status < 400
        ? `redirects to ${headers.location ?? 'nowhere'}, which is not followed: give that url`
        : [saidIn(text), wait ? `retry after ${wait}` : ''].filter((part) => part !== '').join('; ');
    const isTransient = status >= 500 || status === 408 || status === 425 || status === 429;
    return new DeliveryFailed(
      wordsOf(`${host} answered ${status}${said === '' ? '' : `: ${said}`}`, [this.token]),
      isTransient,
    );
  }
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // What comes after is not waited for; the connection is not used again.
    if (length > LONGEST_ANSWER) break;
  }
  return Buffer.concat(chunks).subarray(0, LONGEST_ANSWER).toString();
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function receiptIn(text: string, sent: number): Receipt {
  const answer = parsed(text);
  const rejected = Array.isArray(answer.rejected) ? answer.rejected : [];
  // Of many that were rejected not all are named.
  const accepted = Number.isSafeInteger(answer.accepted) ? Number(answer.accepted) : sent - rejected.length;
  return { accepted: Math.min(Math.max(accepted, 0), sent), rejected };
}

/** The sentence that an error body has for people, or the body itself. */
function saidIn(text: string): string {
  const { detail, message, error } = parsed(text);
  return [detail, message, error].find((part) => typeof part === 'string') ?? text;
}
