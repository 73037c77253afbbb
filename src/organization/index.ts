export { InviteAccepted, OrganizationFounded } from './domain/organization.events';
export { OrganizationResponse } from './http/organization.responses';
export { OrganizationModule } from './organization.module';
export { OrganizationService } from './organization.service';
export { OrganizationAdministration } from './organization-administration.service';
export { activeMembersOf, organizationColumns, shortProject } from './persistence/organization.queries';
export type { OrganizationListing } from './persistence/organization-administration.queries';
