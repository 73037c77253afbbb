import { Workspace1700000000001 } from './1700000000001-workspace';
import { OrganizationInvites1700000000002 } from './1700000000002-organization-invites';
import { OrganizationDomains1700000000004 } from './1700000000004-organization-domains';
import { BatchExports1700000000005 } from './1700000000005-batch-exports';
import { Plugins1700000000006 } from './1700000000006-plugins';
import { Actions1700000000007 } from './1700000000007-actions';
import { Events1700000000008 } from './1700000000008-events';
import { ExportEngine1700000000009 } from './1700000000009-export-engine';
import { PluginSources1700000000010 } from './1700000000010-plugin-sources';
import { PluginConfigs1700000000011 } from './1700000000011-plugin-configs';
import { RateLimits1700000000012 } from './1700000000012-rate-limits';
import { IdempotencyKeys1700000000013 } from './1700000000013-idempotency-keys';
import { HogqlFunctions1700000000014 } from './1700000000014-hogql-functions';
import { RunLookups1700000000015 } from './1700000000015-run-lookups';
import { Mails1700000000016 } from './1700000000016-mails';
import { EndedInvites1700000000017 } from './1700000000017-ended-invites';
import { PrivateProjects1700000000018 } from './1700000000018-private-projects';
import { ActivityOfEverything1700000000019 } from './1700000000019-activity-of-everything';
import { ActionCounts1700000000020 } from './1700000000020-action-counts';
import { TurnsOfRuns1700000000021 } from './1700000000021-turns-of-runs';
import { LargeRecords1700000000024 } from './1700000000024-large-records';
import { InvitationMails1700000000025 } from './1700000000025-invitation-mails';
import { DeactivatedUsers1700000000026 } from './1700000000026-deactivated-users';
import { LogWithoutLock1700000000027 } from './1700000000027-log-without-lock';
import { EmbeddedUsers1700000000028 } from './1700000000028-embedded-users';
import { ShownActions1700000000029 } from './1700000000029-shown-actions';

/** Every change of the schema, oldest first. A migration that has been released never changes. */
export const migrations = [
  Workspace1700000000001,
  OrganizationInvites1700000000002,
  OrganizationDomains1700000000004,
  BatchExports1700000000005,
  Plugins1700000000006,
  Actions1700000000007,
  Events1700000000008,
  ExportEngine1700000000009,
  PluginSources1700000000010,
  PluginConfigs1700000000011,
  RateLimits1700000000012,
  IdempotencyKeys1700000000013,
  HogqlFunctions1700000000014,
  RunLookups1700000000015,
  Mails1700000000016,
  EndedInvites1700000000017,
  PrivateProjects1700000000018,
  ActivityOfEverything1700000000019,
  ActionCounts1700000000020,
  TurnsOfRuns1700000000021,
  LargeRecords1700000000024,
  InvitationMails1700000000025,
  DeactivatedUsers1700000000026,
  LogWithoutLock1700000000027,
  EmbeddedUsers1700000000028,
  ShownActions1700000000029,
];
