import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import type { Delivery, DeliveryProgress } from '../domain/delivery';
import type { Config } from '../domain/destination-rules';
import { valuesOf } from './postgres/copy-text';
import { type Dialect, redshift } from './postgres/dialect';
import type { Session } from './postgres/session';
import { LONGEST_STATEMENT, TableWriter } from './postgres/table.writer';
import { STAGING, type TargetTable } from './postgres/target-table';
import { linesOf, recordsOf } from './records';

/** A statement has at most 32,767 parameters and 16 MB there. */
const MOST_VALUES = 32_000;
const MOST_ROWS = 1000;
const MOST_BYTES = 4 * 1024 * 1024;

/** Writes to a table of an Amazon Redshift database with INSERT: it has no COPY from a client. */
@Injectable()
export class RedshiftWriter extends TableWriter {
  constructor(settings: Settings) {
    super(settings);
  }

  protected dialect({ properties_data_type }: Config): Dialect {
    return redshift(properties_data_type === 'super' ? 'super' : 'varchar');
  }

  protected async stage(
    session: Session,
    target: TargetTable,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<number> {
    const width = delivery.fields.length;
    const mostRows = Math.min(MOST_ROWS, Math.floor(MOST_VALUES / width));
    let staged = 0;
    let values: (string | null)[] = [];
    let bytes = 0;
    const insert = async () => {
      const rows = values.length / width;
      if (rows === 0) return;
      await session.work(
        `INSERT INTO ${STAGING} (${target.fieldNames}) VALUES ${placesOf(rows, width)}`,
        values,
      );
      progress.wrote(rows, bytes);
      staged += rows;
      values = [];
      bytes = 0;
    };

    await session.query(`SET statement_timeout TO ${LONGEST_STATEMENT}`);
    await session.query(`CREATE TEMPORARY TABLE ${STAGING} (${target.stagedColumns})`);
    // Each statement would be a commit of its own otherwise, which are slow there.
    await session.query('BEGIN');
    for await (const line of linesOf(await recordsOf(delivery, 'copy-text', signal))) {
      const isFull = values.length >= mostRows * width || bytes + line.length > MOST_BYTES;
      if (isFull) await insert();
      values.push(...valuesOf(line.toString()));
      bytes += line.length + 1;
    }
    await insert();
    await session.work('COMMIT');
    await session.query('BEGIN');
    // A snapshot is taken there by the first statement of a transaction that reads, so the lock comes before.
    await session.work(`LOCK TABLE ${target.name}`);
    return staged;
  }
}

/** `($1, $2), ($3, $4)` for 2 rows of 2 values. */
const placesOf = (rows: number, width: number): string =>
  Array.from({ length: rows }, (_, row) => {
    const places = Array.from({ length: width }, (_, column) => `$${row * width + column + 1}`);
    return `(${places.join(', ')})`;
  }).join(', ');
