import type { Contract } from './contract';
import { logs } from './logs';

export interface Answer<B = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: B;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape the contract has checked
type Json = any;

/** A caller of the API over HTTP. Every answer is checked against the OpenAPI document. */
export class Client {
  constructor(
    readonly url: string,
    private readonly contract: Contract,
    readonly key: string | null,
  ) {}

  get = (path: string, options?: RequestOptions) => this.request('GET', path, options);
  post = (path: string, body?: unknown, options?: RequestOptions) =>
    this.request('POST', path, { body, ...options });
  put = (path: string, body?: unknown, options?: RequestOptions) =>
    this.request('PUT', path, { body, ...options });
  patch = (path: string, body?: unknown, options?: RequestOptions) =>
    this.request('PATCH', path, { body, ...options });
  delete = (path: string, options?: RequestOptions) => this.request('DELETE', path, options);

  /** Asks for the result of an operation that sends none by default (D1). */
  readonly preferring = {
    get: (path: string) => this.get(path, { headers: { Prefer: 'return=representation' } }),
    post: (path: string, body?: unknown) =>
      this.post(path, body, { headers: { Prefer: 'return=representation' } }),
    patch: (path: string, body?: unknown) =>
      this.patch(path, body, { headers: { Prefer: 'return=representation' } }),
  };

  async request(
    method: string,
    path: string,
    { body, raw, headers = {} }: RequestOptions = {},
  ): Promise<Answer<Json>> {
    logs.hide(this.key);
    logs.hideLink(path);
    logs.hideIn(body);
    const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.key === null ? {} : { Authorization: `Bearer ${this.key}` }),
        ...(payload === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(payload === undefined ? {} : { body: payload as string }),
    });
    const text = await response.text();
    const json = (response.headers.get('content-type') ?? '').startsWith('application/json');
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: json && text !== '' ? JSON.parse(text) : null,
    };
    logs.hideIn(answer.body);
    logs.hideLink(answer.headers.get('link'));
    this.contract.check(method, path, answer);
    return answer;
  }
}
