import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/index';
import { InvitesController } from './http/invites.controller';
import { MembersController } from './http/members.controller';
import { SignUpController } from './http/sign-up.controller';
import { InviteService } from './invite.service';
import { MembershipService } from './membership.service';
import { InviteQueries } from './persistence/invite.queries';
import { MemberQueries } from './persistence/member.queries';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';
import { SignUpQueries } from './persistence/sign-up.queries';
import { SignUpService } from './sign-up.service';

@Module({
  imports: [OrganizationModule],
  controllers: [MembersController, InvitesController, SignUpController],
  providers: [
    MembershipService,
    InviteService,
    SignUpService,
    OrganizationMembershipRepository,
    OrganizationInviteRepository,
    MemberQueries,
    InviteQueries,
    SignUpQueries,
  ],
  exports: [MembershipService],
})
export class MembershipModule {}
