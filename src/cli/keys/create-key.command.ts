import { Help, Option, SubCommand } from 'nest-commander';
import { parseTimestamp } from '../../shared/http/fields/timestamp';
import { WrongValue } from '../failures';
import { type Answer, Operation, type OperationOptions } from '../operation';
import { printable } from '../table';
import { minute } from '../words';
import { Workspace } from '../workspace';
import { reachOf } from './key-columns';

interface CreateKeyOptions extends OperationOptions {
  readonly user: string;
  readonly label: string;
  readonly scopes: string[];
  /** Ids or slugs. */
  readonly organizations?: string[];
  readonly projects?: number[];
  readonly expires?: Date;
}

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

@SubCommand({
  name: 'create',
  description: 'make a key for a user, and show its value this once',
})
export class CreateKeyCommand extends Operation<CreateKeyOptions> {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer(_: string[], options: CreateKeyOptions): Promise<Answer> {
    const { user, label, scopes, organizations = [], projects = [], expires = null } = options;
    const key = await this.workspace.use(async (services) => {
      const scopedOrganizations: string[] = [];
      for (const name of organizations) scopedOrganizations.push(await services.organizations.idOf(name));
      return services.keys.create(user, {
        label,
        scopes,
        scopedOrganizations,
        scopedTeams: projects,
        expiresAt: expires,
      });
    });
    const text = [
      `Made the key "${printable(key.label)}" of ${printable(key.user)}.`,
      `Id:        ${key.id}`,
      `Scopes:    ${key.scopes.join(', ')}`,
      `Works in:  ${reachOf(key)}`,
      `Expires:   ${minute(key.expires_at, 'never')}${key.expires_at === null ? '' : ' UTC'}`,
      `Its value, shown this once: ${key.value}`,
    ];
    return { text: text.join('\n'), json: key };
  }

  @Option({ flags: '--user <address>', description: 'whose key it is', required: true })
  parseUser(address: string): string {
    return address.trim();
  }

  @Option({ flags: '--label <text>', description: 'what it is for, at most 40 characters', required: true })
  parseLabel(label: string): string {
    return label;
  }

  @Option({
    flags: '--scopes <list>',
    description: "what it may do, such as action:read,project:write, or '*' for everything",
    required: true,
  })
  parseScopes(list: string): string[] {
    return listed(list);
  }

  @Option({
    flags: '--organizations <list>',
    description: "ids or slugs of the user's organizations that it works in alone",
  })
  parseOrganizations(list: string): string[] {
    return listed(list);
  }

  @Option({
    flags: '--projects <list>',
    description: "ids of projects in the user's organizations that it works in alone",
  })
  parseProjects(list: string): number[] {
    return listed(list).map((item) => {
      if (!/^\d{1,10}$/.test(item) || Number(item) > 2_147_483_647) {
        throw new WrongValue(`Ids of projects are whole numbers, and "${item}" is none.`);
      }
      return Number(item);
    });
  }

  @Option({
    flags: '--expires <moment>',
    description:
      'when it stops working, such as 2030-12-31 or 2030-12-31T18:00:00+01:00; UTC if it does not say',
  })
  parseExpires(text: string): Date {
    const moment = parseTimestamp(text) ?? parseTimestamp(`${text}T00:00`);
    if (moment === null) throw new WrongValue('It is not a date or a moment such as 2030-12-31T18:00:00Z.');
    return moment;
  }

  @Help('after')
  help(): string {
    return `
Without --organizations and --projects the key works wherever its user belongs.
A mail tells the user of it, where mails are sent (SMTP_URL).

The way back in when the first key is lost:
  hedgerow keys create --user admin@hedgerow.local --label "First key" --scopes '*'`;
  }
}
