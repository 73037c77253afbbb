import { Invalid } from '../../shared/domain/domain-error';

/** Another action of the project that is not deleted has the name (ACT-06). */
export class ActionNameTaken extends Invalid {
  constructor(holderId: number) {
    super('name', 'unique', `This project already has an action with this name, ID ${holderId}`);
  }
}
