import { Help, Option, SubCommand } from 'nest-commander';
import { type Answer, Operation, type OperationOptions } from '../operation';
import { printable } from '../table';
import { Workspace } from '../workspace';

interface DeactivateUserOptions extends OperationOptions {
  readonly force?: boolean;
}

@SubCommand({
  name: 'deactivate',
  arguments: '<address>',
  argsDescription: { '<address>': "the user's e-mail address" },
  description: 'shut a user out: their keys stop working at once, on every server',
})
export class DeactivateUserCommand extends Operation<DeactivateUserOptions> {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer([address = '']: string[], { force = false }: DeactivateUserOptions): Promise<Answer> {
    const user = await this.workspace.use(({ deactivation }) => deactivation.deactivate(address, force));
    const ended =
      user.keys === 1 ? '1 key of theirs no longer works.' : `${user.keys} keys of theirs no longer work.`;
    const keys = user.keys === 0 ? 'They have no keys.' : ended;
    return { text: `${printable(user.email)} is deactivated. ${keys}`, json: user };
  }

  @Option({
    flags: '--force',
    description: 'also where an organization is left without an active owner',
  })
  parseForce(): boolean {
    return true;
  }

  @Help('after')
  help(): string {
    return `
The user's invitations to others are withdrawn. They stay a member of their
organizations, in which members no longer see them; "hedgerow users activate" undoes it.
Whoever is the only active owner of an organization is not deactivated without --force.`;
  }
}
