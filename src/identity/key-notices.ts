import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings';
import { inWords } from '../shared/domain/moment';
import { Mails } from '../shared/mail/mails';
import { greeting, type Message } from '../shared/mail/message';
import type { KeyGrant } from './domain/key-grant';
import type { User } from './domain/user';

/** Tells users by mail what is done to their keys, so that who has one of them cannot make another unseen. */
@Injectable()
export class KeyNotices {
  constructor(
    private readonly settings: Settings,
    private readonly mails: Mails,
  ) {}

  /** The mail never has the key's value. */
  async created(owner: User, keyId: string, grant: KeyGrant, at: Date): Promise<void> {
    await this.mails.send(`key ${keyId} created`, this.mailOf(owner, grant, at));
  }

  private mailOf(owner: User, grant: KeyGrant, at: Date): Message {
    const { label, scopes, scopedOrganizations, scopedTeams, expiresAt } = grant;
    const to = { name: owner.fullName, address: owner.email };
    return {
      to,
      subject: 'A new personal API key of yours',
      paragraphs: [
        greeting(to),
        `A personal API key was made for your Hedgerow account (${owner.email}) on ${inWords(at)}.`,
        `Label: ${label}`,
        `Scopes: ${scopes.includes('*') ? '* (all)' : scopes.join(', ')}`,
        ...(scopedOrganizations.length > 0 ? [`Organizations: ${scopedOrganizations.join(', ')}`] : []),
        ...(scopedTeams.length > 0 ? [`Projects: ${scopedTeams.join(', ')}`] : []),
        `Works until: ${expiresAt === null ? 'it is deleted' : inWords(expiresAt)}`,
        'If it was you, there is nothing to do. If not, somebody has a key of yours: delete the new one, and give ' +
          'your others a new value (roll) at once.',
        { link: `${this.settings.publicUrl ?? ''}/docs/`, label: 'How to, under "Personal API keys"' },
      ],
    };
  }
}
