import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Statement } from '../../shared/persistence/statement';
import { Transaction } from '../../shared/persistence/transaction';
import { Project } from '../domain/project';

/** Waits for nobody: the next event tells it again. */
const EVENT_CAME = new Statement<never>(
  'project.event_came',
  `UPDATE projects SET ingested_event = true
    WHERE id = (SELECT id FROM projects WHERE id = $1 AND NOT ingested_event FOR NO KEY UPDATE SKIP LOCKED)`,
);

@Injectable()
export class ProjectRepository {
  constructor(private readonly transaction: Transaction) {}

  /** Locks the project until the transaction ends. @throws NotFound in another organization as well */
  async get(organizationId: string, id: number): Promise<Project> {
    const project = await this.transaction.manager.findOne(Project, {
      where: { id, organizationId },
      lock: { mode: 'pessimistic_write' },
    });
    if (!project) throw new NotFound();
    return project;
  }

  async save(project: Project): Promise<void> {
    await this.transaction.manager.save(Project, project);
  }

  /** Everything in it goes with it, and nobody is in it any more, by the foreign keys. */
  async remove(project: Project): Promise<void> {
    await this.transaction.takeTime();
    await this.transaction.manager.delete(Project, { id: project.id });
  }

  /** Nothing is told of a project that is gone, or that somebody changes just now. */
  async eventCame(id: number): Promise<void> {
    await this.transaction.rows(EVENT_CAME, [id]);
  }
}
