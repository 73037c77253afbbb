import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ActivityLog, type Snapshot, type Subject, snapshotOf } from '../activity/index';
import { InviteAccepted } from '../organization/index';
import { Clock } from '../shared/domain/clock';
import { NotFound } from '../shared/domain/domain-error';
import { DomainEvents } from '../shared/domain/domain-events';
import { Level } from '../shared/domain/level';
import type { Page, PageWindow, Representation } from '../shared/domain/representation';
import { Transaction } from '../shared/persistence/transaction';
import {
  type AccessLevel,
  OnlyAdminsGiveAccess,
  ProjectMember,
  type ProjectPlace,
} from './domain/project-member';
import { ProjectMemberQueries } from './persistence/project-member.queries';
import { ProjectMemberRepository } from './persistence/project-member.repository';

/** Who gives access, to what and to whom: the caller's id, and the user's UUID. */
export interface AccessEdit extends ProjectPlace {
  readonly editorId: number;
  readonly userUuid: string;
}

/** Who was given access to which project. */
@Injectable()
export class ProjectMemberService implements OnModuleInit {
  constructor(
    private readonly transaction: Transaction,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
    private readonly activity: ActivityLog,
    private readonly members: ProjectMemberRepository,
    private readonly queries: ProjectMemberQueries,
  ) {}

  onModuleInit(): void {
    this.events.on(InviteAccepted, (accepted) => this.admitAsPromised(accepted));
  }

  list(place: ProjectPlace, window: PageWindow): Promise<Page> {
    return this.queries.list(place, window);
  }

  /** Gives a member of the organization access, or another level of it. @throws NotFound, OnlyAdminsGiveAccess */
  give(edit: AccessEdit, level: AccessLevel): Promise<Representation> {
    return this.inTurn(edit, async (userId) => {
      const now = this.clock.now();
      const given = await this.members.find(edit, userId);
      const before = given && (await this.queries.retrieve(edit, userId));
      const member = given ?? ProjectMember.admit(edit, userId, level, now);
      member.changeLevel(level, now);
      await this.members.save(member);
      return this.tell(edit, userId, before);
    });
  }

  /** Without a level nothing changes. @throws NotFound also when they were given none, OnlyAdminsGiveAccess */
  change(edit: AccessEdit, level: AccessLevel | undefined): Promise<Representation> {
    return this.inTurn(edit, async (userId) => {
      const member = await this.members.get(edit, userId);
      const before = await this.queries.retrieve(edit, userId);
      if (level === undefined) return before;
      member.changeLevel(level, this.clock.now());
      await this.members.save(member);
      return this.tell(edit, userId, before);
    });
  }

  /** What was given is taken back. @throws NotFound, OnlyAdminsGiveAccess */
  take(edit: AccessEdit): Promise<void> {
    return this.inTurn(edit, async (userId) => {
      const member = await this.members.get(edit, userId);
      const before = await this.queries.retrieve(edit, userId);
      await this.members.remove(member);
      await this.activity.deleted(...activityOf(edit, before));
    });
  }

  /** What an invite promised, with its acceptance (SIGN-14). */
  private async admitAsPromised(accepted: InviteAccepted): Promise<void> {
    const { organizationId, userId } = accepted;
    for (const projectId of await this.members.admitAsPromised(accepted, this.clock.now())) {
      await this.tell({ organizationId, projectId }, userId, null);
    }
  }

  /** Records what became of it. @returns the answer */
  private async tell(
    place: ProjectPlace,
    userId: number,
    before: Representation | null,
  ): Promise<Representation> {
    const after = await this.queries.retrieve(place, userId);
    const [subject, fields] = activityOf(place, after);
    if (before) await this.activity.updated(subject, activityOf(place, before)[1], fields);
    else await this.activity.created(subject, fields);
    return after;
  }

  /** The editor's own level is read once nobody else can take it: who has just lost it gives nothing more. */
  private inTurn<T>(edit: AccessEdit, work: (userId: number) => Promise<T>): Promise<T> {
    return this.transaction.run(async () => {
      await this.members.takeTurn(edit);
      const own = await this.members.levelOf(edit, edit.editorId);
      if (own === null) throw new NotFound();
      if (own < Level.Admin) throw new OnlyAdminsGiveAccess();
      return work(await this.members.userOf(edit, edit.userUuid));
    });
  }
}

/** Of a person in a project; they have the id that paths give them. */
function activityOf(
  { organizationId, projectId }: ProjectPlace,
  shown: Representation,
): readonly [Subject, Snapshot] {
  const { user, level } = snapshotOf(shown) as { user: { uuid: string; email: string }; level: number };
  const subject = { organizationId, projectId, scope: 'ProjectMember', itemId: user.uuid, name: user.email };
  return [subject, { level }];
}
