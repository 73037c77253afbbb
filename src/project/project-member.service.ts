import { Injectable, type OnModuleInit } from '@nestjs/common';
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
    private readonly members: ProjectMemberRepository,
    private readonly queries: ProjectMemberQueries,
  ) {}

  onModuleInit(): void {
    this.events.on(InviteAccepted, (promised) => this.members.admitAsPromised(promised, this.clock.now()));
  }

  list(place: ProjectPlace, window: PageWindow): Promise<Page> {
    return this.queries.list(place, window);
  }

  /** Gives a member of the organization access, or another level of it. @throws NotFound, OnlyAdminsGiveAccess */
  give(edit: AccessEdit, level: AccessLevel): Promise<Representation> {
    return this.inTurn(edit, async (userId) => {
      const now = this.clock.now();
      const member = (await this.members.find(edit, userId)) ?? ProjectMember.admit(edit, userId, level, now);
      member.changeLevel(level, now);
      await this.members.save(member);
      return this.queries.retrieve(edit, userId);
    });
  }

  /** Without a level nothing changes. @throws NotFound also when they were given none, OnlyAdminsGiveAccess */
  change(edit: AccessEdit, level: AccessLevel | undefined): Promise<Representation> {
    return this.inTurn(edit, async (userId) => {
      const member = await this.members.get(edit, userId);
      if (level !== undefined) {
        member.changeLevel(level, this.clock.now());
        await this.members.save(member);
      }
      return this.queries.retrieve(edit, userId);
    });
  }

  /** What was given is taken back. @throws NotFound, OnlyAdminsGiveAccess */
  take(edit: AccessEdit): Promise<void> {
    return this.inTurn(edit, async (userId) => {
      await this.members.remove(await this.members.get(edit, userId));
    });
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
