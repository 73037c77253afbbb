import { Module } from '@nestjs/common';
import { Settings } from '../config/settings';
import { DnsTxtResolver } from './dns/dns-txt-resolver';
import { TxtResolver } from './domain/txt-resolver';
import { DomainService } from './domain.service';
import { ActivityLogController } from './http/activity-log.controller';
import { DomainsController } from './http/domains.controller';
import { OrganizationsController } from './http/organizations.controller';
import { OrganizationService } from './organization.service';
import { OrganizationAdministration } from './organization-administration.service';
import { OrganizationQueries } from './persistence/organization.queries';
import { OrganizationRepository } from './persistence/organization.repository';
import { OrganizationAdministrationQueries } from './persistence/organization-administration.queries';
import { OrganizationDomainQueries } from './persistence/organization-domain.queries';
import { OrganizationDomainRepository } from './persistence/organization-domain.repository';

@Module({
  controllers: [OrganizationsController, DomainsController, ActivityLogController],
  providers: [
    OrganizationService,
    OrganizationRepository,
    OrganizationQueries,
    OrganizationAdministration,
    OrganizationAdministrationQueries,
    DomainService,
    OrganizationDomainRepository,
    OrganizationDomainQueries,
    {
      provide: TxtResolver,
      inject: [Settings],
      useFactory: ({ dnsServers }: Settings) => new DnsTxtResolver(dnsServers),
    },
  ],
  exports: [OrganizationService, OrganizationAdministration],
})
export class OrganizationModule {}
