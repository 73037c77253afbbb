import { Command } from 'nest-commander';
import { Group } from '../operation';
import { ActivateUserCommand } from './activate-user.command';
import { DeactivateUserCommand } from './deactivate-user.command';
import { ListUsersCommand } from './list-users.command';

@Command({
  name: 'users',
  description: 'users: list them, shut them out and let them in again',
  subCommands: [ListUsersCommand, DeactivateUserCommand, ActivateUserCommand],
})
export class UsersCommand extends Group {}
