import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/index';
import { OrganizationProjectsController, ProjectsController } from './http/projects.controller';
import { ProjectQueries } from './persistence/project.queries';
import { ProjectRepository } from './persistence/project.repository';
import { ProjectService } from './project.service';

@Module({
  imports: [OrganizationModule],
  controllers: [ProjectsController, OrganizationProjectsController],
  providers: [ProjectService, ProjectRepository, ProjectQueries],
})
export class ProjectModule {}
