import { Invalid } from '../../shared/domain/domain-error';

/** Where a caller wants `@current` to lead from now on; absent fields were not given. */
export interface Destination {
  readonly organizationId?: string;
  readonly projectId?: number;
}

export class OrganizationNotYours extends Invalid {
  constructor(id: string) {
    super('set_current_organization', 'does_not_exist', `Object with id=${id} does not exist.`);
  }
}

export class ProjectNotYours extends Invalid {
  constructor(id: number) {
    super('set_current_team', 'does_not_exist', `Object with id=${id} does not exist.`);
  }
}

export class ProjectElsewhere extends Invalid {
  constructor() {
    super(
      'set_current_team',
      'invalid_input',
      'The project is not in the organization that set_current_organization names.',
    );
  }
}
