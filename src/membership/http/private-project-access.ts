import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Level } from '../../shared/domain/level';
import { Checked } from '../../shared/http/fields/check';
import { type Check, isObject, type Problem, presence, problem } from '../../shared/http/fields/index';

const MOST_PROJECTS = 1000;

@ApiSchema({ name: 'PrivateProjectAccess', description: 'What an invite promises in a private project.' })
export class PrivateProjectAccess {
  @ApiProperty({ type: 'integer', example: 1, description: 'Id of a project of the organization.' })
  id!: number;

  @ApiProperty({
    type: 'integer',
    enum: [Level.Member, Level.Admin],
    example: Level.Member,
    description: '1 member, 8 administrator.',
  })
  level!: typeof Level.Member | typeof Level.Admin;
}

const wrong = (detail: string): Problem => problem('invalid_input', detail);

/** The shape alone, told of the field as a whole (INV-12). */
const check: Check = (value) => {
  if (!Array.isArray(value)) return wrong('The field must be a list of dictionaries.');
  if (value.length > MOST_PROJECTS) {
    return problem('max_length', `Ensure this field has no more than ${MOST_PROJECTS} elements.`);
  }
  for (const item of value) {
    if (!isObject(item)) return wrong('Each item in the list must be a dictionary.');
    const { id, level } = item;
    if (id === undefined || level === undefined) {
      return wrong('Each dictionary must contain "id" and "level" keys.');
    }
    if (!Number.isSafeInteger(id)) return wrong('The "id" field must be an integer.');
    if (level !== Level.Member && level !== Level.Admin) {
      return wrong('The "level" field must be either "member" or "admin".');
    }
  }
  return null;
};

/** A list of projects with levels; null is as good as none (INV-16). */
export const ProjectAccessField = () =>
  applyDecorators(
    ApiProperty({
      type: () => [PrivateProjectAccess],
      maxItems: MOST_PROJECTS,
      required: false,
      nullable: true,
      description:
        'What the invite promises in private projects: of a private one you must be an administrator, or one of the ' +
        'organization. Given on joining, in the projects that are still there and to which you can still give access.',
      example: [],
    }),
    Checked('privateProjectAccess', presence({ nullable: true }, check)),
  );
