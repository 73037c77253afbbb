export { BatchExportModule } from './batch-export.module';
