export { BatchExportModule } from './batch-export.module';
export { SEALED_CREDENTIALS } from './persistence/sealed-credentials';
