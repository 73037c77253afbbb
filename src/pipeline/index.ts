export { SEALED_TOKENS, SEALED_VALUES } from './persistence/sealed-places';
export { PipelineModule } from './pipeline.module';
