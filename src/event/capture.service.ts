import { Injectable } from '@nestjs/common';
import { ProjectTokens } from '../project/index';
import { NotFound } from '../shared/domain/domain-error';
import { TokenMissing, TokenUnknown } from './domain/capture-errors';
import type { Capture, CapturedBatch } from './domain/captured-event';
import { EventStore } from './domain/event-store';

/** Takes in what analytics SDKs send. */
@Injectable()
export class CaptureService {
  constructor(
    private readonly tokens: ProjectTokens,
    private readonly store: EventStore,
  ) {}

  /**
   * Keeps the events of a capture, unless they are there already.
   * @throws TokenMissing, TokenUnknown
   * @throws Invalid when none of its events is usable
   */
  async keep({ token, read }: Capture): Promise<CapturedBatch> {
    if (token === null) throw new TokenMissing();
    const project = await this.tokens.find(token);
    if (!project) throw new TokenUnknown();
    const batch = read();
    if (batch.events.length === 0) throw batch.refusal;
    try {
      await this.store.append(project.id, batch.events);
    } catch (error) {
      throw error instanceof NotFound ? new TokenUnknown() : error;
    }
    // On its own: a project that is being changed or deleted must not wait for what arrives in it.
    if (!project.ingestedEvent) await this.tokens.eventCame(project.id);
    return batch;
  }
}
