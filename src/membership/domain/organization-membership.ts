import { Level } from '../../shared/domain/level';
import {
  ChangesOwnLevel,
  EditsSomebodyHigher,
  OnlyAdminsEditOthers,
  OnlyOwnersMakeOwners,
  OwnerCannotLeave,
} from './membership-errors';

/** That a user belongs to an organization, and how far their word goes there. */
export class OrganizationMembership {
  private updatedAt: Date;

  private constructor(
    readonly id: string,
    readonly organizationId: string,
    readonly userId: number,
    private level: Level,
    private readonly joinedAt: Date,
  ) {
    this.updatedAt = joinedAt;
  }

  static join(
    id: string,
    organizationId: string,
    userId: number,
    level: Level,
    at: Date,
  ): OrganizationMembership {
    return new OrganizationMembership(id, organizationId, userId, level, at);
  }

  /** Whether the member's level is `level` or higher. */
  reaches(level: Level): boolean {
    return this.level >= level;
  }

  /**
   * Gives the member another level; without one nothing changes (MEM-15). Checked in the order of MEM-13.
   *
   * An organization cannot lose its last owner here (D19): only another owner changes an owner's level, and
   * nobody their own. A level above the editor's own but below owner (MEM-12) cannot come up, since editors are
   * administrators at least.
   * @throws OnlyAdminsEditOthers, EditsSomebodyHigher, ChangesOwnLevel, OnlyOwnersMakeOwners
   */
  changeLevel(level: Level | undefined, editor: OrganizationMembership, at: Date): void {
    this.refuseEditBy(editor);
    if (level === undefined) return;
    if (editor.userId === this.userId) throw new ChangesOwnLevel();
    if (level === Level.Owner && !editor.reaches(Level.Owner)) throw new OnlyOwnersMakeOwners();
    this.level = level;
    this.updatedAt = at;
  }

  /**
   * Whether `editor` may end this membership; one's own, one may (MEM-17). No owner goes before another owner has
   * made them less, so that the last one stays (MEM-18, D19).
   * @throws OnlyAdminsEditOthers, EditsSomebodyHigher, OwnerCannotLeave
   */
  refuseRemovalBy(editor: OrganizationMembership): void {
    this.refuseEditBy(editor);
    if (this.reaches(Level.Owner)) throw new OwnerCannotLeave();
  }

  private refuseEditBy(editor: OrganizationMembership): void {
    if (editor.userId === this.userId) return;
    if (!editor.reaches(Level.Admin)) throw new OnlyAdminsEditOthers();
    if (!editor.reaches(this.level)) throw new EditsSomebodyHigher();
  }
}
