import { Injectable } from '@nestjs/common';
import { Transaction } from '../../shared/persistence/transaction';
import { Project } from '../domain/project';

@Injectable()
export class ProjectRepository {
  constructor(private readonly transaction: Transaction) {}

  async save(project: Project): Promise<void> {
    await this.transaction.manager.save(Project, project);
  }
}
