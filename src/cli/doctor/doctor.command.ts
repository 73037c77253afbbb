import { Command, Help } from 'nest-commander';
import { type Answer, Operation } from '../operation';
import { printable } from '../table';
import { counted } from '../words';
import type { Finding, State } from './finding';

@Command({
  name: 'doctor',
  description: 'find out what is wrong with an installation, and what to mend',
})
export class DoctorCommand extends Operation {
  async answer(): Promise<Answer> {
    // Loaded when it is needed, as all that knows the database.
    const { examine } = require('./examination') as typeof import('./examination');
    const findings = await examine();
    const problems = count(findings, 'problem');
    return {
      text: [...findings.map(lineOf), summary(problems, count(findings, 'warning'))].join('\n'),
      json: { ok: problems === 0, findings },
      failed: problems > 0,
    };
  }

  @Help('after')
  help(): string {
    return `
Looks at settings, database, migrations, clocks, connections, secrets, mail, DNS, folders
and the port. Changes nothing, and sends no mail. Run it with the settings of the server, on
the machine that runs it. Secrets are counted, never shown.
The exit code is 1 where there is a problem; warnings do not count.`;
  }
}

const count = (findings: readonly Finding[], wanted: State): number =>
  findings.filter(({ state }) => state === wanted).length;

function lineOf({ check, state, found, mend }: Finding): string {
  const line = `${state.padEnd(7)}  ${check.padEnd(17)}  ${printable(found)}`;
  return mend === null ? line : `${line}\n${' '.repeat(28)}-> ${mend}`;
}

function summary(problems: number, warnings: number): string {
  if (problems + warnings === 0) return '\nAll is well.';
  return `\n${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`;
}
