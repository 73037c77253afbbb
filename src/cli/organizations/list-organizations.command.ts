import { SubCommand } from 'nest-commander';
import { type Answer, Operation } from '../operation';
import { table } from '../table';
import { Workspace } from '../workspace';
import { ORGANIZATION_COLUMNS } from './organization-columns';

@SubCommand({ name: 'list', description: 'list organizations, the oldest first' })
export class ListOrganizationsCommand extends Operation {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer(): Promise<Answer> {
    const organizations = await this.workspace.use((services) => services.organizations.list());
    return {
      text: organizations.length === 0 ? 'No organizations.' : table(ORGANIZATION_COLUMNS, organizations),
      json: organizations,
    };
  }
}
