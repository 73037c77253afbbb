import { CommandRunner, Option } from 'nest-commander';
import { Exit, Shown, WrongUsage } from './failures';

type Command = CommandRunner['command'];

/** What a command found out or did: for people, or for programs. */
export interface Answer {
  readonly text: string;
  readonly json: unknown;
  /** Whether it is a failure all the same, as problems that were found are. */
  readonly failed?: boolean;
}

export interface OperationOptions {
  readonly json?: boolean;
}

/** A command that does something. */
export abstract class Operation<Options extends OperationOptions = OperationOptions> extends CommandRunner {
  abstract answer(parameters: string[], options: Options): Promise<Answer>;

  override setCommand(command: Command): this {
    strict(command).allowExcessArguments(false);
    return super.setCommand(command);
  }

  async run(parameters: string[], options: Options): Promise<void> {
    const { text, json, failed } = await this.answer(parameters, options);
    process.stdout.write(`${options.json ? JSON.stringify(json, null, 2) : text}\n`);
    if (failed) process.exitCode = Exit.Failed;
  }

  @Option({ flags: '--json', description: 'answer with one JSON document, for programs' })
  parseJson(): boolean {
    return true;
  }

  /** @throws WrongUsage always */
  protected refuse(message: string): never {
    throw new WrongUsage(message, pathOf(this.command));
  }
}

/** A command that only has commands below it. */
export abstract class Group extends CommandRunner {
  override setCommand(command: Command): this {
    return super.setCommand(strict(command).usage('<command> [options]'));
  }

  async run([unknown]: string[]): Promise<void> {
    const names = this.command.commands.map((command) => command.name());
    throw new WrongUsage(
      unknown === undefined
        ? `Which command? ${this.command.name()} has ${names.join(', ')}.`
        : `Unknown command "${unknown}": ${this.command.name()} has ${names.join(', ')}.`,
      pathOf(this.command),
    );
  }
}

/** Has a command throw where the commander would end the process. */
export function strict(command: Command): Command {
  return command.helpOption('-h, --help', 'show this help').exitOverride(({ exitCode, code, message }) => {
    if (exitCode === 0) throw new Shown(Exit.Done);
    // `hedgerow` without a command.
    if (code === 'commander.help') throw new Shown(Exit.WrongUsage);
    throw new WrongUsage(sentence(message), pathOf(command));
  });
}

/** Such as `hedgerow keys create`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** The commander says `error: unknown option '--x'`. */
function sentence(message: string): string {
  const words = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.)?]$/.test(words) ? '' : '.'}`;
}
