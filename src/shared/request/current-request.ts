import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';

/** What may be known of a request anywhere below its controller. */
export interface RequestFacts {
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  /** Who calls, once the guards know. */
  principal?: { readonly userId: number; readonly keyId: string };
}

/** The request that is being answered. None in the work of jobs and of the command line. */
@Injectable()
export class CurrentRequest {
  private readonly storage = new AsyncLocalStorage<RequestFacts>();

  run<T>(request: RequestFacts, work: () => T): T {
    return this.storage.run(request, work);
  }

  get(): RequestFacts | null {
    return this.storage.getStore() ?? null;
  }

  /** Whom its work is for, whichever of their keys they use and wherever they do it. */
  get owner(): string {
    const principal = this.get()?.principal;
    return principal ? `user ${principal.userId}` : 'nobody';
  }
}
