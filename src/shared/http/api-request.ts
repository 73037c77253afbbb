import type { IncomingHttpHeaders } from 'node:http';

/** What the guards, interceptors and controllers see of a request, whatever server library carries it. */
export interface ApiRequest {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Names the request in the log and in `X-Request-Id`. */
  id: string;
  /** The address of the caller, as far as proxies are trusted to tell it. */
  address: string;
  /** Scheme, host and path prefix as the caller sees them, without a slash at the end. */
  publicUrl: string;
  /** Makes `body` of the bytes that came, or sets `bodyFailure`; where that has not been done before the guards. */
  parseBody?: () => Promise<void>;
  /** Why the body could not be read; raised only after the guards, so that it tells a stranger nothing (D13). */
  bodyFailure?: unknown;
}

/** Whether a path is one of the API's, however it is written: routes are found in any case. */
export const isOfApi = (path: string): boolean => /^\/api\//i.test(path);
