import { Command } from 'nest-commander';
import { Group } from '../operation';
import { ListOrganizationsCommand } from './list-organizations.command';
import { SetMetadataCommand } from './set-metadata.command';
import { SetPluginsAccessCommand } from './set-plugins-access.command';

@Command({
  name: 'organizations',
  description: 'organizations: list them, and set what the API lets nobody set',
  subCommands: [ListOrganizationsCommand, SetPluginsAccessCommand, SetMetadataCommand],
})
export class OrganizationsCommand extends Group {}
