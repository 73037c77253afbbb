import { Level } from '../../shared/domain/level';
import {
  ChangesOwnLevel,
  EditsSomebodyHigher,
  OnlyAdminsEditOthers,
  OnlyOwnersMakeOwners,
  OwnerCannotLeave,
} from './membership-errors';
import { OrganizationMembership } from './organization-membership';

const NOW = new Date('2025-03-01T00:00:00Z');

let users = 0;
function at(level: Level): OrganizationMembership {
  users += 1;
  return OrganizationMembership.join(`membership-${users}`, 'organization', users, level, NOW);
}

describe('OrganizationMembership', () => {
  it('lets administrators and owners change a level', () => {
    for (const editor of [at(Level.Admin), at(Level.Owner)]) {
      const member = at(Level.Member);
      member.changeLevel(Level.Admin, editor, NOW);
      expect(member.reaches(Level.Admin)).toBe(true);
      expect(member.reaches(Level.Owner)).toBe(false);
    }
  });

  it('lets an owner make owners, and members of them again (MEM-10, MEM-14)', () => {
    const [owner, other] = [at(Level.Owner), at(Level.Admin)];
    other.changeLevel(Level.Owner, owner, NOW);
    expect([owner.reaches(Level.Owner), other.reaches(Level.Owner)]).toEqual([true, true]);
    owner.changeLevel(Level.Member, other, NOW);
    expect(owner.reaches(Level.Admin)).toBe(false);
  });

  it('tells what is wrong in the order of MEM-13', () => {
    const owner = at(Level.Owner);
    expect(() => owner.changeLevel(Level.Owner, at(Level.Member), NOW)).toThrow(OnlyAdminsEditOthers);
    expect(() => owner.changeLevel(Level.Owner, at(Level.Admin), NOW)).toThrow(EditsSomebodyHigher);
    const admin = at(Level.Admin);
    expect(() => admin.changeLevel(Level.Owner, admin, NOW)).toThrow(ChangesOwnLevel);
    expect(() => at(Level.Admin).changeLevel(Level.Owner, admin, NOW)).toThrow(OnlyOwnersMakeOwners);
  });

  it('refuses every change of one’s own level, even to the same (MEM-08)', () => {
    for (const level of [Level.Member, Level.Admin, Level.Owner]) {
      const owner = at(Level.Owner);
      expect(() => owner.changeLevel(level, owner, NOW)).toThrow(ChangesOwnLevel);
    }
  });

  it('changes nothing without a level, but still asks who edits whom (MEM-15)', () => {
    const member = at(Level.Member);
    const before = { ...member };
    member.changeLevel(undefined, member, new Date());
    expect({ ...member }).toEqual(before);
    expect(() => member.changeLevel(undefined, at(Level.Member), NOW)).toThrow(OnlyAdminsEditOthers);
  });

  it('ends by oneself or by somebody at least as high, but never an owner’s (MEM-16..18, D19)', () => {
    const member = at(Level.Member);
    expect(() => member.refuseRemovalBy(member)).not.toThrow();
    expect(() => member.refuseRemovalBy(at(Level.Admin))).not.toThrow();
    expect(() => member.refuseRemovalBy(at(Level.Member))).toThrow(OnlyAdminsEditOthers);
    const owner = at(Level.Owner);
    expect(() => owner.refuseRemovalBy(at(Level.Admin))).toThrow(EditsSomebodyHigher);
    expect(() => owner.refuseRemovalBy(at(Level.Owner))).toThrow(OwnerCannotLeave);
    expect(() => owner.refuseRemovalBy(owner)).toThrow(OwnerCannotLeave);
  });
});
