import { Text } from '../../shared/http/fields/index';

export class SignUpRequest {
  @Text({ required: true, trim: true, max: 150, description: 'Your first name.', example: 'Grace' })
  first_name!: string;

  @Text({
    trim: true,
    blank: true,
    max: 150,
    description: 'Your last name.',
    example: 'Hopper',
    default: '',
  })
  last_name?: string;
}
