import { Command } from 'nest-commander';
import { Group } from '../operation';
import { CreateKeyCommand } from './create-key.command';
import { ListKeysCommand } from './list-keys.command';
import { RevokeKeyCommand } from './revoke-key.command';

@Command({
  name: 'keys',
  description: 'personal API keys: make, list and revoke them',
  subCommands: [CreateKeyCommand, ListKeysCommand, RevokeKeyCommand],
})
export class KeysCommand extends Group {}
