import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Level } from '../../shared/domain/level';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { type AccessLevel, ProjectMember, type ProjectPlace } from '../domain/project-member';

/** The organization is locked first, as its deletion does. */
const LOCK = new Statement<{ id: number }>(
  'project_member.lock_project',
  `SELECT p.id FROM organizations o JOIN projects p ON p.organization_id = o.id
    WHERE o.id = $1 AND p.id = $2 FOR KEY SHARE OF o FOR NO KEY UPDATE OF p`,
);

const LEVEL_OF = new Statement<{ level: Level }>(
  'project_member.level_of',
  'SELECT v.level FROM project_viewers v WHERE v.project_id = $1 AND v.user_id = $2',
);

const USER = new Statement<{ id: number }>(
  'project_member.user',
  `SELECT u.id FROM organization_memberships m JOIN users u ON u.id = m.user_id
    WHERE m.organization_id = $1 AND u.uuid = $2 AND u.is_active`,
);

/** A project that is just being deleted is waited for, and is then none. */
const ADMIT_AS_PROMISED = new Statement<{ project_id: number }>(
  'project_member.admit_as_promised',
  `WITH kept AS MATERIALIZED (
     SELECT p.id, p.organization_id, promised.level
       FROM unnest($4::bigint[], $5::smallint[]) AS promised (id, level)
       JOIN projects p ON p.id = promised.id AND p.organization_id = $1
      WHERE EXISTS (SELECT FROM project_viewers v
                     WHERE v.project_id = p.id AND v.user_id = $3 AND v.level >= ${Level.Admin})
      ORDER BY p.id FOR KEY SHARE OF p)
   INSERT INTO project_members (project_id, organization_id, user_id, level, created_at, updated_at)
   SELECT id, organization_id, $2, level, $6, $6 FROM kept RETURNING project_id`,
);

/** What an invite promised, by whom and to whom. */
export interface Promised {
  readonly organizationId: string;
  readonly userId: number;
  /** Null when that user exists no more. */
  readonly inviterId: number | null;
  /** Each project once. */
  readonly access: readonly { readonly id: number; readonly level: AccessLevel }[];
}

@Injectable()
export class ProjectMemberRepository {
  constructor(private readonly transaction: Transaction) {}

  /**
   * Changes of who was given access to a project come one after another: this waits for its turn, which lasts until the
   * transaction ends. @throws NotFound
   */
  async takeTurn({ organizationId, projectId }: ProjectPlace): Promise<void> {
    const locked = await this.transaction.rows(LOCK, [organizationId, projectId]);
    if (locked.length === 0) throw new NotFound();
  }

  /** The level of a user in the project, given there or from the organization; null when they do not see it. */
  async levelOf({ projectId }: ProjectPlace, userId: number): Promise<Level | null> {
    const [row] = await this.transaction.rows(LEVEL_OF, [projectId, userId]);
    return row?.level ?? null;
  }

  /** The id of a member of the organization. @throws NotFound for a deactivated user as well */
  async userOf({ organizationId }: ProjectPlace, userUuid: string): Promise<number> {
    const [row] = await this.transaction.rows(USER, [organizationId, userUuid]);
    if (!row) throw new NotFound();
    return row.id;
  }

  find({ projectId }: ProjectPlace, userId: number): Promise<ProjectMember | null> {
    return this.transaction.manager.findOneBy(ProjectMember, { projectId, userId });
  }

  /** @throws NotFound */
  async get(place: ProjectPlace, userId: number): Promise<ProjectMember> {
    const member = await this.find(place, userId);
    if (!member) throw new NotFound();
    return member;
  }

  async save(member: ProjectMember): Promise<void> {
    await this.transaction.manager.save(ProjectMember, member);
  }

  async remove({ projectId, userId }: ProjectMember): Promise<void> {
    await this.transaction.manager.delete(ProjectMember, { projectId, userId });
  }

  /**
   * Gives a new member of the organization what was promised. Projects that are gone are skipped, and those in which
   * the inviter can give no access, or not any more.
   * @returns ids of the projects
   */
  async admitAsPromised(
    { organizationId, userId, inviterId, access }: Promised,
    at: Date,
  ): Promise<number[]> {
    if (access.length === 0) return [];
    const ids = access.map(({ id }) => id);
    const levels = access.map(({ level }) => level);
    const values = [organizationId, userId, inviterId, ids, levels, at];
    const admitted = await this.transaction.rows(ADMIT_AS_PROMISED, values);
    return admitted.map(({ project_id }) => project_id);
  }
}
