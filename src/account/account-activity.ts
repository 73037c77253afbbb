import { type Activity, changesBetween, snapshotOf } from '../activity/index';
import type { Representation } from '../shared/domain/representation';

/** What an answer shows of who is asked about, as far as others may be told of it. */
interface Shown {
  readonly uuid: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly organization: { readonly id: string } | null;
  readonly team: { readonly id: number } | null;
  readonly organizations: readonly { readonly id: string }[];
}

/** Another name concerns every organization of the user; where they are now, the one that they have entered. */
export function activitiesOf(before: Representation, after: Representation): Activity[] {
  const [was, is] = [snapshotOf(before), snapshotOf(after)] as unknown as [Shown, Shown];
  const subject = { scope: 'User', itemId: is.uuid, name: is.email };
  const changes = changesBetween(namesOf(was), namesOf(is));
  const renamed = (changes.length > 0 ? is.organizations : []).map(({ id }) => ({
    ...subject,
    organizationId: id,
    activity: 'updated',
    changes,
  }));
  const { organization, team } = is;
  const moved = organization && (organization.id !== was.organization?.id || team?.id !== was.team?.id);
  if (!moved) return renamed;
  return [
    ...renamed,
    { ...subject, organizationId: organization.id, projectId: team?.id, activity: 'entered' },
  ];
}

const namesOf = ({ first_name, last_name }: Shown) => ({ first_name, last_name });
