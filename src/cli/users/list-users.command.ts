import { Option, SubCommand } from 'nest-commander';
import { type Answer, Operation, type OperationOptions } from '../operation';
import { table } from '../table';
import { Workspace } from '../workspace';
import { USER_COLUMNS } from './user-columns';

interface ListUsersOptions extends OperationOptions {
  readonly organization?: string;
}

@SubCommand({ name: 'list', description: 'list users, their organizations and how many keys they have' })
export class ListUsersCommand extends Operation<ListUsersOptions> {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer(_: string[], { organization }: ListUsersOptions): Promise<Answer> {
    const users = await this.workspace.use(async (services) =>
      services.users.list(
        organization === undefined ? null : await services.organizations.idOf(organization),
      ),
    );
    return { text: users.length === 0 ? 'No users.' : table(USER_COLUMNS, users), json: users };
  }

  @Option({ flags: '--organization <id or slug>', description: 'only the members of this organization' })
  parseOrganization(name: string): string {
    return name;
  }
}
