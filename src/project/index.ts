export { ProjectResponse } from './http/project.responses';
export { ProjectModule } from './project.module';
export { ProjectTokens } from './project-tokens.service';
