import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/index';
import { Deactivation } from './deactivation.service';
import { InvitesController } from './http/invites.controller';
import { MembersController } from './http/members.controller';
import { SignUpPageController } from './http/pages/sign-up-page.controller';
import { SignUpController } from './http/sign-up.controller';
import { InviteService } from './invite.service';
import { MembershipService } from './membership.service';
import { InvitationAllowance } from './persistence/invitation-allowance';
import { InviteQueries } from './persistence/invite.queries';
import { MemberQueries } from './persistence/member.queries';
import { OrganizationInviteRepository } from './persistence/organization-invite.repository';
import { OrganizationMembershipRepository } from './persistence/organization-membership.repository';
import { SignUpQueries } from './persistence/sign-up.queries';
import { SignUpService } from './sign-up.service';

@Module({
  imports: [OrganizationModule],
  controllers: [MembersController, InvitesController, SignUpController, SignUpPageController],
  providers: [
    MembershipService,
    Deactivation,
    InviteService,
    SignUpService,
    OrganizationMembershipRepository,
    OrganizationInviteRepository,
    InvitationAllowance,
    MemberQueries,
    InviteQueries,
    SignUpQueries,
  ],
  exports: [MembershipService, Deactivation],
})
export class MembershipModule {}
