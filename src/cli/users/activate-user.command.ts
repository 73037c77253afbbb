import { SubCommand } from 'nest-commander';
import { type Answer, Operation } from '../operation';
import { printable } from '../table';
import { counted } from '../words';
import { Workspace } from '../workspace';

@SubCommand({
  name: 'activate',
  arguments: '<address>',
  argsDescription: { '<address>': "the user's e-mail address" },
  description: 'let a deactivated user in again: their keys work as before',
})
export class ActivateUserCommand extends Operation {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer([address = '']: string[]): Promise<Answer> {
    const user = await this.workspace.use(({ users }) => users.activate(address));
    return {
      text: `${printable(user.email)} is active, with ${counted(user.keys, 'key')}.`,
      json: user,
    };
  }
}
