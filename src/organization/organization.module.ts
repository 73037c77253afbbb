import { Module } from '@nestjs/common';
import { OrganizationsController } from './http/organizations.controller';
import { OrganizationService } from './organization.service';
import { OrganizationQueries } from './persistence/organization.queries';
import { OrganizationRepository } from './persistence/organization.repository';

@Module({
  controllers: [OrganizationsController],
  providers: [OrganizationService, OrganizationRepository, OrganizationQueries],
  exports: [OrganizationService, OrganizationRepository],
})
export class OrganizationModule {}
