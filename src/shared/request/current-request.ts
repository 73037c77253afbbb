import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Ambient } from '../ambient/ambient';

/** What may be known of a request anywhere below its controller. */
export interface RequestFacts {
  readonly id: string;
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  /** Who calls, once the guards know. */
  principal?: { readonly userId: number; readonly keyId: string };
}

const current = new Ambient<RequestFacts>();

/** For what is made once for all servers of a process, as the log is; all else is given `CurrentRequest`. */
export const currentRequest = (): RequestFacts | null => current.get() ?? null;

/** The request that is being answered. None in the work of jobs and of the command line. */
@Injectable()
export class CurrentRequest {
  run<T>(request: RequestFacts, work: () => T): T {
    return current.run(request, work);
  }

  get(): RequestFacts | null {
    return currentRequest();
  }

  /** Whom its work is for, whichever of their keys they use and wherever they do it. */
  get owner(): string {
    const principal = this.get()?.principal;
    return principal ? `user ${principal.userId}` : 'nobody';
  }
}
