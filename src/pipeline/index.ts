export { PipelineModule } from './pipeline.module';
