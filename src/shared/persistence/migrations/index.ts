import { Workspace1700000000001 } from './1700000000001-workspace';
import { OrganizationInvites1700000000002 } from './1700000000002-organization-invites';
import { OrganizationDomains1700000000004 } from './1700000000004-organization-domains';
import { BatchExports1700000000005 } from './1700000000005-batch-exports';
import { Plugins1700000000006 } from './1700000000006-plugins';
import { Actions1700000000007 } from './1700000000007-actions';
import { RateLimits1700000000012 } from './1700000000012-rate-limits';

/** Every change of the schema, oldest first. A migration that has been released never changes. */
export const migrations = [
  Workspace1700000000001,
  OrganizationInvites1700000000002,
  OrganizationDomains1700000000004,
  BatchExports1700000000005,
  Plugins1700000000006,
  Actions1700000000007,
  RateLimits1700000000012,
];
