import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/index';
import { ProjectMembersController } from './http/project-members.controller';
import { OrganizationProjectsController, ProjectsController } from './http/projects.controller';
import { ProjectQueries } from './persistence/project.queries';
import { ProjectRepository } from './persistence/project.repository';
import { ProjectMemberQueries } from './persistence/project-member.queries';
import { ProjectMemberRepository } from './persistence/project-member.repository';
import { ProjectService } from './project.service';
import { ProjectMemberService } from './project-member.service';
import { ProjectTokens } from './project-tokens.service';

@Module({
  imports: [OrganizationModule],
  controllers: [ProjectsController, OrganizationProjectsController, ProjectMembersController],
  providers: [
    ProjectService,
    ProjectTokens,
    ProjectRepository,
    ProjectQueries,
    ProjectMemberService,
    ProjectMemberRepository,
    ProjectMemberQueries,
  ],
  exports: [ProjectTokens],
})
export class ProjectModule {}
