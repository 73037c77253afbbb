import { Module } from '@nestjs/common';
import { OrganizationModule } from '../organization/index';
import { ProjectRepository } from './persistence/project.repository';
import { ProjectService } from './project.service';

@Module({
  imports: [OrganizationModule],
  controllers: [],
  providers: [ProjectService, ProjectRepository],
  exports: [ProjectService],
})
export class ProjectModule {}
