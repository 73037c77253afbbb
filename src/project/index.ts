export { ProjectModule } from './project.module';
export { ProjectService } from './project.service';
