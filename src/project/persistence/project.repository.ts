import { Injectable } from '@nestjs/common';
import { NotFound } from '../../shared/domain/domain-error';
import { Transaction } from '../../shared/persistence/transaction';
import { Project } from '../domain/project';

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
    await this.transaction.manager.delete(Project, { id: project.id });
  }
}
