import { Help, SubCommand } from 'nest-commander';
import { type Answer, Operation } from '../operation';
import { printable } from '../table';
import { Workspace } from '../workspace';

@SubCommand({
  name: 'set-metadata',
  arguments: '<organization> <object>',
  argsDescription: {
    '<organization>': 'its id or slug',
    '<object>': 'a JSON object, which takes the place of the metadata that there is',
  },
  description: 'set the metadata of an organization, which its members can read',
})
export class SetMetadataCommand extends Operation {
  constructor(private readonly workspace: Workspace) {
    super();
  }

  async answer([name = '', text = '']: string[]): Promise<Answer> {
    const metadata = this.objectIn(text);
    const organization = await this.workspace.use(({ organizations }) =>
      organizations.setMetadata(name, metadata),
    );
    return {
      text: `The metadata of ${printable(organization.name)} is ${JSON.stringify(organization.metadata)}.`,
      json: organization,
    };
  }

  @Help('after')
  help(): string {
    return `
Example:
  hedgerow organizations set-metadata acme '{"plan": "gold", "contact": "ops@acme.example"}'`;
  }

  private objectIn(text: string): object {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      this.refuse(`The metadata is not JSON: ${(error as Error).message}.`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      this.refuse('The metadata is not a JSON object, such as {"plan": "gold"}.');
    }
    return value;
  }
}
