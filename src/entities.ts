import { ActionSchema } from './action/persistence/action.schema';
import { BackfillSchema, BatchExportSchema, RunSchema } from './batch-export/persistence/batch-export.schema';
import { PersonalApiKeySchema } from './identity/persistence/personal-api-key.schema';
import { UserSchema } from './identity/persistence/user.schema';
import { OrganizationInviteSchema } from './membership/persistence/organization-invite.schema';
import { OrganizationMembershipSchema } from './membership/persistence/organization-membership.schema';
import { OrganizationSchema } from './organization/persistence/organization.schema';
import { OrganizationDomainSchema } from './organization/persistence/organization-domain.schema';
import { PluginSchema, SourceFileSchema } from './pipeline/persistence/plugin.schema';
import { PluginConfigSchema } from './pipeline/persistence/plugin-config.schema';
import { ProjectSchema } from './project/persistence/project.schema';
import { ProjectMemberSchema } from './project/persistence/project-member.schema';

/** Every mapping of a domain class to its table. */
export const entities = [
  UserSchema,
  PersonalApiKeySchema,
  OrganizationSchema,
  OrganizationDomainSchema,
  OrganizationMembershipSchema,
  OrganizationInviteSchema,
  ProjectSchema,
  ProjectMemberSchema,
  BatchExportSchema,
  BackfillSchema,
  RunSchema,
  PluginSchema,
  SourceFileSchema,
  PluginConfigSchema,
  ActionSchema,
];
