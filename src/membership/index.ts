export { MembershipModule } from './membership.module';
export { MembershipService } from './membership.service';
