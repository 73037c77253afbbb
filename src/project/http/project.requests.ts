import { PartialType } from '@nestjs/swagger';
import { Bool, Text } from '../../shared/http/fields/index';
import type { ProjectDetails } from '../domain/project';

export class CreateProjectRequest {
  @Text({ required: true, trim: true, max: 200, description: 'Name of the project.', example: 'Website' })
  name!: string;

  @Text({
    max: 240,
    description: 'Time zone in which the days of the project begin: a name of the IANA database, or `UTC`.',
    example: 'Europe/Berlin',
    default: 'UTC',
  })
  timezone?: string;

  @Bool({
    description:
      'Whether the project is private: seen by those alone who were given access to it, and by the administrators and ' +
      'owners of the organization, who alone may change this.',
    example: false,
    default: false,
  })
  access_control?: boolean;
}

export class UpdateProjectRequest extends PartialType(CreateProjectRequest, { skipNullProperties: false }) {}

export function detailsOf<B extends UpdateProjectRequest>(body: B): ProjectDetails & Pick<B, 'name'> {
  return { name: body.name, timezone: body.timezone, accessControl: body.access_control };
}
