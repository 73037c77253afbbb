import { Help, SubCommand } from 'nest-commander';
import { type Answer, Operation } from '../operation';
import { printable } from '../table';
import { accessNamed, nameOfAccess } from '../words';
import { Workspace } from '../workspace';

@SubCommand({
  name: 'set-plugins-access',
  arguments: '<organization> <level>',
  argsDescription: {
    '<organization>': 'its id or slug',
    '<level>': 'none, config, install or root; or 0, 3, 6 or 9',
  },
  description: 'set what an organization may do with plugins',
})
export class SetPluginsAccessCommand extends Operation {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer([name = '', asked = '']: string[]): Promise<Answer> {
    const level = accessNamed(asked);
    if (level === null) this.refuse(`"${asked}" is none of none, config, install, root, 0, 3, 6 and 9.`);
    const organization = await this.workspace.use(({ organizations }) =>
      organizations.setPluginsAccess(name, level),
    );
    return {
      text: `${printable(organization.name)} has the plugins access level ${nameOfAccess(level)} (${level}).`,
      json: organization,
    };
  }

  @Help('after')
  help(): string {
    return `
  none (0)     plugins are out of reach
  config (3)   see plugins, and use them in projects
  install (6)  install, change and delete plugins as well; with it an organization begins
  root (9)     as install; with it the organization of the first start begins`;
  }
}
