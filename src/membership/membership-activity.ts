import { type Activity, changesBetween, type Snapshot, type Subject, snapshotOf } from '../activity/index';
import type { Level } from '../shared/domain/level';
import type { Representation } from '../shared/domain/representation';
import type { EndedInvite, InviteEnding } from './domain/invite-ending';

/** A person in an organization, with the id that paths give them. */
const memberSubject = (
  organizationId: string,
  { uuid, email }: { readonly uuid: string; readonly email: string },
): Subject => ({ organizationId, scope: 'OrganizationMembership', itemId: uuid, name: email });

/** What is told of a member, as an answer shows them; the user is told of elsewhere. */
export function activityOf(organizationId: string, shown: Representation): readonly [Subject, Snapshot] {
  const { user, level } = snapshotOf(shown) as { user: { uuid: string; email: string }; level: Level };
  return [memberSubject(organizationId, user), { level }];
}

/** That somebody has become a member. */
export const joined = (
  organizationId: string,
  user: { readonly uuid: string; readonly email: string },
  level: Level,
): Activity => ({
  ...memberSubject(organizationId, user),
  activity: 'joined',
  changes: changesBetween({}, { level }),
});

/** An invite is called what its address is; its secret is in no entry. */
export const inviteSubject = (organizationId: string, { id, email }: EndedInvite): Subject => ({
  organizationId,
  scope: 'OrganizationInvite',
  itemId: id,
  name: email,
});

/** What became of invites that are no more. */
export const invitesEnded = (
  organizationId: string,
  ended: readonly EndedInvite[],
  as: InviteEnding,
): Activity[] => ended.map((invite) => ({ ...inviteSubject(organizationId, invite), activity: as }));
