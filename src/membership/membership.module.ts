import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/index';
import { MembershipService } from './membership.service';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';

@Module({
  imports: [OrganizationModule],
  controllers: [],
  providers: [MembershipService, OrganizationMembershipRepository],
  exports: [MembershipService],
})
export class MembershipModule {}
