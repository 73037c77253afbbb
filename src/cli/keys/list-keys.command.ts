import { Help, Option, SubCommand } from 'nest-commander';
import { type Answer, Operation, type OperationOptions } from '../operation';
import { table } from '../table';
import { Workspace } from '../workspace';
import { KEY_COLUMNS } from './key-columns';

interface ListKeysOptions extends OperationOptions {
  readonly user?: string;
  readonly organization?: string;
}

@SubCommand({ name: 'list', description: 'list keys, without their values' })
export class ListKeysCommand extends Operation<ListKeysOptions> {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer(_: string[], { user, organization }: ListKeysOptions): Promise<Answer> {
    const keys = await this.workspace.use(async (services) =>
      services.keys.list({
        email: user ?? null,
        organizationId: organization === undefined ? null : await services.organizations.idOf(organization),
      }),
    );
    return { text: keys.length === 0 ? 'No keys.' : table(KEY_COLUMNS, keys), json: keys };
  }

  @Option({ flags: '--user <address>', description: 'only those of this user' })
  parseUser(address: string): string {
    return address.trim();
  }

  @Option({ flags: '--organization <id or slug>', description: 'only those that work in this organization' })
  parseOrganization(name: string): string {
    return name;
  }

  @Help('after')
  help(): string {
    return `
Of the value there are the first and last four characters: nobody has the rest but
whom it was shown to. The last use is noted at most once an hour.`;
  }
}
