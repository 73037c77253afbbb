import { debuglog } from 'node:util';

/** How a command ends. */
export const Exit = { Done: 0, Failed: 1, WrongUsage: 2 } as const;

const debug = debuglog('hedgerow');

/** The command line cannot be understood. */
export class WrongUsage extends Error {
  constructor(
    message: string,
    /** Such as `hedgerow keys create`. */
    readonly command: string,
  ) {
    super(message);
  }
}

/** A value of an option that its command does not take. The commander knows it by its code. */
export class WrongValue extends Error {
  readonly code = 'commander.invalidArgument';
}

/** Help or the version has been shown, because it was asked for or because nothing else was. */
export class Shown extends Error {
  constructor(readonly exitCode: number) {
    super('Shown');
  }
}

/** Options by the fields that rules of the API name. */
const OPTIONS: Readonly<Record<string, string>> = {
  label: '--label',
  scopes: '--scopes',
  scoped_organizations: '--organizations',
  scoped_teams: '--projects',
  expires_at: '--expires',
};

/** One line for people. `NODE_DEBUG=hedgerow` shows the stack as well. */
export function explained(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  debug('%s', error.stack);
  const words = (error.message || error.name).replace(/\s*\n\s*/g, ' ');
  if (error instanceof WrongUsage) return `${words} See "${error.command} --help".`;
  const { attr } = error as { attr?: string | null };
  return attr === undefined || attr === null ? words : `${OPTIONS[attr] ?? attr}: ${words}`;
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof Shown) return error.exitCode;
  return error instanceof WrongUsage ? Exit.WrongUsage : Exit.Failed;
}
