import { Level } from '../../shared/domain/level';
import { InviteExpired, InviteOfSomebodyElse, InvitesSomebodyHigher } from './invite-errors';
import { type Invitation, OrganizationInvite } from './organization-invite';
import { OrganizationMembership } from './organization-membership';

const NOW = new Date('2025-03-01T00:00:00Z');
const THREE_DAYS = 3 * 24 * 60 * 60 * 1000;

const timeAfter = (milliseconds: number) => new Date(NOW.getTime() + milliseconds);

const inviter = (level: Level) => OrganizationMembership.join('membership', 'organization', 1, level, NOW);

function invite(invitation: Partial<Invitation>, by: Level = Level.Owner, created = NOW): OrganizationInvite {
  const whole = { targetEmail: 'grace@example.com', ...invitation };
  return OrganizationInvite.issue('invite', Buffer.alloc(32), whole, inviter(by), created);
}

describe('OrganizationInvite', () => {
  it('keeps the local part of an address and lower-cases the rest (INV-05)', () => {
    expect(invite({ targetEmail: 'Grace.Hopper@EXAMPLE.Com' }).targetEmail).toBe('Grace.Hopper@example.com');
    expect(invite({ targetEmail: '"A@B"@EXAMPLE.com' }).targetEmail).toBe('"A@B"@example.com');
  });

  it('offers at most the inviter’s own level (INV-09)', () => {
    expect(invite({}, Level.Member).grantedLevel).toBe(Level.Member);
    expect(invite({ level: Level.Admin }, Level.Admin).grantedLevel).toBe(Level.Admin);
    expect(() => invite({ level: Level.Admin }, Level.Member)).toThrow(InvitesSomebodyHigher);
    expect(() => invite({ level: Level.Owner }, Level.Admin)).toThrow(InvitesSomebodyHigher);
  });

  it('is good for three days (INV-17)', () => {
    expect(() => invite({}).refuseUseBy(null, timeAfter(THREE_DAYS))).not.toThrow();
    expect(() => invite({}).refuseUseBy(null, timeAfter(THREE_DAYS + 1))).toThrow(InviteExpired);
  });

  it('tells until when it is good', () => {
    expect(invite({}).expiresAt).toEqual(timeAfter(THREE_DAYS));
  });

  it('is known to the mailbox alone once it is mailed (D23)', () => {
    const mailed = invite({});
    expect(mailed.isMailed).toBe(false);
    mailed.mail();
    expect(mailed.isMailed).toBe(true);
  });

  it('is for one address, whatever its case, and says so first (SIGN-07)', () => {
    expect(() => invite({}).refuseUseBy('GRACE@example.com', NOW)).not.toThrow();
    expect(() => invite({}).refuseUseBy('ada@example.com', timeAfter(2 * THREE_DAYS))).toThrow(
      InviteOfSomebodyElse,
    );
  });

  describe('absorbing an earlier one (INV-11)', () => {
    const access = (entries: Record<number, 1 | 8>) =>
      Object.entries(entries).map(([id, level]) => ({ id: Number(id), level }));

    it('takes the higher level and the higher access to each project', () => {
      const earlier = invite({ level: Level.Admin, privateProjectAccess: access({ 1: 8, 2: 1 }) });
      const later = invite({ privateProjectAccess: access({ 2: 8, 3: 1 }) });
      later.absorb(earlier, inviter(Level.Owner), new Set([1, 2, 3]));
      expect(later.grantedLevel).toBe(Level.Admin);
      expect(later).toMatchObject({
        privateProjectAccess: expect.arrayContaining(access({ 1: 8, 2: 8, 3: 1 })),
      });
      expect(later.projectIds).toHaveLength(3);
    });

    it('keeps its own level when that is the higher one', () => {
      const later = invite({ level: Level.Owner });
      later.absorb(invite({ level: Level.Admin }), inviter(Level.Owner), new Set());
      expect(later.grantedLevel).toBe(Level.Owner);
    });

    it('takes nothing of an expired one', () => {
      const later = invite({}, Level.Owner, timeAfter(THREE_DAYS + 1));
      later.absorb(
        invite({ level: Level.Owner, privateProjectAccess: access({ 1: 8 }) }),
        inviter(Level.Member),
        new Set([1]),
      );
      expect([later.grantedLevel, later.projectIds]).toEqual([Level.Member, []]);
    });

    it('does not lift anybody above the inviter', () => {
      const later = invite({}, Level.Member);
      const earlier = invite({ level: Level.Owner });
      expect(() => later.absorb(earlier, inviter(Level.Member), new Set())).toThrow(InvitesSomebodyHigher);
    });

    it('takes no access that the inviter could not promise', () => {
      const later = invite({ privateProjectAccess: access({ 2: 1 }) });
      const earlier = invite({ privateProjectAccess: access({ 1: 8, 2: 8, 3: 1 }) });
      later.absorb(earlier, inviter(Level.Owner), new Set([2, 3]));
      expect(later.promisedAccess).toEqual(access({ 2: 8, 3: 1 }));
    });
  });
});
