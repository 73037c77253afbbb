import { Injectable } from '@nestjs/common';
import { ProjectQueries, type TokenProject } from './persistence/project.queries';
import { ProjectRepository } from './persistence/project.repository';

const TOKEN = /^[\x21-\x7e]{1,200}$/;

/** What those who send events need to know of projects, and projects of them. */
@Injectable()
export class ProjectTokens {
  constructor(
    private readonly projects: ProjectRepository,
    private readonly queries: ProjectQueries,
  ) {}

  /** The project whose `api_token` this is, if any. */
  async find(token: string): Promise<TokenProject | null> {
    return TOKEN.test(token) ? this.queries.byToken(token) : null;
  }

  /** Has the project tell that an event came in; to be called again while it does not. */
  eventCame(id: number): Promise<void> {
    return this.projects.eventCame(id);
  }
}
