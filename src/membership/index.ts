export { Deactivation } from './deactivation.service';
export { SIGN_UP_PAGE } from './http/pages/sign-up-page.controller';
export { MembershipModule } from './membership.module';
export { MembershipService } from './membership.service';
