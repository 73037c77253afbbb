import { PersonalApiKeySchema } from './identity/persistence/personal-api-key.schema';
import { UserSchema } from './identity/persistence/user.schema';
import { OrganizationMembershipSchema } from './membership/persistence/organization-membership.schema';
import { OrganizationSchema } from './organization/persistence/organization.schema';
import { ProjectSchema } from './project/persistence/project.schema';

/** Every mapping of a domain class to its table. */
export const entities = [
  UserSchema,
  PersonalApiKeySchema,
  OrganizationSchema,
  OrganizationMembershipSchema,
  ProjectSchema,
];
