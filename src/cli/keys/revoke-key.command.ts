import { SubCommand } from 'nest-commander';
import { type Answer, Operation } from '../operation';
import { printable } from '../table';
import { Workspace } from '../workspace';

@SubCommand({
  name: 'revoke',
  arguments: '<id>',
  argsDescription: { '<id>': 'the id of the key, as "hedgerow keys list" shows it' },
  description: 'delete a key: it stops working at once, on every server',
})
export class RevokeKeyCommand extends Operation {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer([id = '']: string[]): Promise<Answer> {
    const key = await this.workspace.use(({ keys }) => keys.revoke(id));
    const { label, user, mask_value } = key;
    return {
      text: `Revoked the key "${printable(label)}" (${mask_value}) of ${printable(user)}.`,
      json: key,
    };
  }
}
