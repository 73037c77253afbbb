import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { type CommandRunner, InjectCommander } from 'nest-commander';
import { strict } from './operation';

const ABOUT = `
The operator's commands of Hedgerow. They need no API key: they work on the database
itself, the one at DATABASE_URL, or else the one in DATA_DIR (./data), whether a server
runs on it or not. Settings are those of the server.`;

const MORE = `
Examples:
  hedgerow keys create --user ada@example.com --label "New laptop" --scopes '*'
  hedgerow users deactivate ada@example.com
  hedgerow organizations set-plugins-access acme root
  hedgerow doctor

Every command takes --json, and then writes one JSON document to standard output.
What went wrong is one line on standard error.

Exit codes: 0 done, 1 failed (also: the doctor found problems), 2 wrong usage.`;

/** `hedgerow` itself, above its commands. */
@Injectable()
export class Program {
  constructor(@InjectCommander() program: CommandRunner['command']) {
    strict(program)
      .name('hedgerow')
      .usage('<command> [options]')
      .description(ABOUT.trim())
      .version(version(), '-V, --version', 'tell the version')
      .addHelpCommand('help [command]', 'show the help of a command')
      .addHelpText('after', MORE);
  }
}

function version(): string {
  const file = readFileSync(join(__dirname, '../../package.json'), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
