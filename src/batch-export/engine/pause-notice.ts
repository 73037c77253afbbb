import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import { MembershipService } from '../../membership/index';
import { inWords } from '../../shared/domain/moment';
import { Mails } from '../../shared/mail/mails';
import { greeting } from '../../shared/mail/message';
import type { BatchExport } from '../domain/batch-export';

/** Tells those who run an organization by mail that an export of theirs was given up. */
@Injectable()
export class PauseNotice {
  constructor(
    private readonly settings: Settings,
    private readonly mails: Mails,
    private readonly memberships: MembershipService,
  ) {}

  /** In the transaction that pauses the export; at most one mail to each of them. */
  async send(batchExport: BatchExport, failures: number, error: string | null, at: Date): Promise<void> {
    if (!this.mails.enabled) return;
    const { id, label, organizationId, projectId } = batchExport;
    for (const to of await this.memberships.administrators(organizationId)) {
      await this.mails.send(`export ${id} paused ${at.toISOString()} ${to.address}`, {
        to,
        subject: `The batch export "${label}" is paused`,
        paragraphs: [
          greeting(to),
          `${failures} runs in a row of the batch export "${label}" have failed, and it was paused on ${inWords(at)}.`,
          ...(error === null ? [] : ['The last of them says:', { quote: error }]),
          'What arrives meanwhile is kept. When the cause is mended, unpause the export; with backfill true it then ' +
            'exports what it missed. Runs that have failed can be retried.',
          `It is export ${id} of project ${projectId}; its log tells more.`,
          { link: `${this.settings.publicUrl ?? ''}/docs/`, label: 'How to, under "Batch exports"' },
        ],
      });
    }
  }
}
