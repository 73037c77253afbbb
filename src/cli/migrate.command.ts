import { Command, Help, Option } from 'nest-commander';
import { type Answer, Operation, type OperationOptions } from './operation';
import { counted } from './words';

interface MigrateOptions extends OperationOptions {
  readonly dryRun?: boolean;
}

@Command({ name: 'migrate', description: 'bring the database up to date, as a start of the server does' })
export class MigrateCommand extends Operation<MigrateOptions> {
  async answer(_: string[], { dryRun = false }: MigrateOptions): Promise<Answer> {
    // Loaded when it is needed, as all that knows the database.
    const { Settings } = require('../config/settings') as typeof import('../config/settings');
    const { openDatabase } = require('./open-database') as typeof import('./open-database');
    const { migrate, pending } =
      require('../shared/persistence/migrate') as typeof import('../shared/persistence/migrate');
    const database = await openDatabase(Settings.from());
    try {
      const { migrations, jobs, unknown } = await (dryRun ? pending : migrate)(database.url);
      const count = migrations.length + jobs.length;
      const done = dryRun ? 'To be done' : 'Done';
      const lines = [
        ...(count === 0 ? ['The database is up to date.'] : [`${done}: ${counted(count, 'step')}.`]),
        ...migrations.map((name) => `  migration ${name}`),
        ...jobs.map((what) => `  ${what}`),
        ...(unknown.length === 0
          ? []
          : [
              `A newer Hedgerow than this one has made ${counted(unknown.length, 'migration')}: ${unknown.join(', ')}.`,
            ]),
      ];
      return { text: lines.join('\n'), json: { dry_run: dryRun, migrations, jobs, unknown } };
    } finally {
      await database.close();
    }
  }

  @Option({ flags: '--dry-run', description: 'only tell what would be done' })
  parseDryRun(): boolean {
    return true;
  }

  @Help('after')
  help(): string {
    return `
Makes what is lacking of the tables and of the job queue. Servers that start do the same;
several at once wait for one another.`;
  }
}
