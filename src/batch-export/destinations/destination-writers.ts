import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { DestinationTypeName } from '../domain/destination-types';
import type { DestinationWriter } from './destination-writer';
import { FileWriter } from './file.writer';
import { HttpWriter } from './http.writer';
import { NoOpWriter } from './no-op.writer';
import { PostgresWriter } from './postgres.writer';
import { RedshiftWriter } from './redshift.writer';
import { S3Writer } from './s3.writer';

/** What writes to each type of destination; all of them are providers of the module. */
export const WRITERS: Readonly<Record<DestinationTypeName, Type<DestinationWriter>>> = {
  S3: S3Writer,
  Postgres: PostgresWriter,
  Redshift: RedshiftWriter,
  HTTP: HttpWriter,
  File: FileWriter,
  NoOp: NoOpWriter,
};

@Injectable()
export class DestinationWriters {
  constructor(private readonly module: ModuleRef) {}

  of(type: DestinationTypeName): DestinationWriter {
    return this.module.get(WRITERS[type]);
  }
}
