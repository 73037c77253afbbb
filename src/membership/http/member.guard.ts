import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type IdentityRequest, userUuidOf } from '../../identity/index';
import { Level } from '../../shared/domain/level';
import { OnlyAdminsEditOthers } from '../domain/membership-errors';

/**
 * A member below administrator edits nobody but themselves (MEM-07). The aggregate knows this as well; here it is
 * told before anything about the body is (D13).
 */
@Injectable()
export class MemberGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<IdentityRequest>();
    const { organization, principal } = request;
    if (!organization || !principal) throw new Error('A member is edited within an organization');
    if (organization.level < Level.Admin && userUuidOf(request) !== principal.userUuid) {
      throw new OnlyAdminsEditOthers();
    }
    return true;
  }
}
