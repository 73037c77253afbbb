import { Module } from '@nestjs/common';
import { DoctorCommand } from './doctor/doctor.command';
import { KeysCommand } from './keys/keys.command';
import { MigrateCommand } from './migrate.command';
import { OrganizationsCommand } from './organizations/organizations.command';
import { Program } from './program';
import { UsersCommand } from './users/users.command';
import { Workspace } from './workspace';

/** The commands, which load what they need when they run. */
@Module({
  providers: [
    Program,
    Workspace,
    ...KeysCommand.registerWithSubCommands(),
    ...UsersCommand.registerWithSubCommands(),
    ...OrganizationsCommand.registerWithSubCommands(),
    MigrateCommand,
    DoctorCommand,
  ],
})
export class CliModule {}
