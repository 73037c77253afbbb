import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/domain-error';
import type { Representation } from '../domain/representation';
import { CurrentRequest } from './current-request';
import { entityTagOf, namesTag } from './entity-tag';

/** The resource is no longer what the caller saw: 412. */
export class PreconditionFailed extends DomainError {
  constructor() {
    super(
      'precondition_failed',
      'precondition_failed',
      'The resource has changed since: its ETag is none of If-Match. Read it again.',
    );
  }
}

/** Keeps a change from overwriting another that its caller has not seen: `If-Match` (RFC 9110, 13.1.1). */
@Injectable()
export class Preconditions {
  constructor(private readonly current: CurrentRequest) {}

  /**
   * To be asked by every change and deletion of a single resource, in its transaction, once the resource is locked.
   * @throws PreconditionFailed
   */
  check({ json }: Representation): void {
    const header = this.current.get()?.headers['if-match'];
    if (header === undefined) return;
    if (!namesTag(header, entityTagOf(json), 'strong')) throw new PreconditionFailed();
  }
}
