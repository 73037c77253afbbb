import type { BatchExport } from '../domain/batch-export';
import type { Run } from '../domain/run';
import type { RunPlace } from '../persistence/run.statements';

/** An attempt that a worker has begun, and what it is to do. */
export interface Claim extends RunPlace {
  readonly attempt: number;
  readonly run: Run;
  readonly batchExport: BatchExport;
}
