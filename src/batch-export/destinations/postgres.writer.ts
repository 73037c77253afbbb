import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings';
import type { Delivery, DeliveryProgress } from '../domain/delivery';
import { POSTGRES } from './postgres/dialect';
import type { Session } from './postgres/session';
import { LONGEST_STATEMENT, TableWriter } from './postgres/table.writer';
import { STAGING, type TargetTable } from './postgres/target-table';
import { recordsOf } from './records';

/** The first half of the keys of advisory locks on targets, in the destination's database. */
const LOCK_CLASS = 0x68656467;

/** One transaction holds it all, so that nothing of the staging table is left wherever it ends. */
const BEGIN = `
  BEGIN ISOLATION LEVEL READ COMMITTED;
  SET LOCAL datestyle = 'ISO, YMD';
  SET LOCAL lock_timeout = '5min';
  SET LOCAL idle_in_transaction_session_timeout = '10min';
  SAVEPOINT notice_loss`;

/** Lets the server end a statement whose client is gone: from PostgreSQL 14, not on every system. */
const NOTICE_LOSS = "SET LOCAL client_connection_check_interval = '2s'";

/** COPY takes as long as there are records. */
const NO_TIMEOUT = 'SET LOCAL statement_timeout = 0';
const TIMEOUT = `SET LOCAL statement_timeout = ${LONGEST_STATEMENT}`;

/** Writes to a table of a PostgreSQL database with COPY. */
@Injectable()
export class PostgresWriter extends TableWriter {
  constructor(settings: Settings) {
    super(settings);
  }

  protected dialect() {
    return POSTGRES;
  }

  protected async stage(
    session: Session,
    target: TargetTable,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<number> {
    await session.query(BEGIN);
    await session.query(NOTICE_LOSS).catch(() => session.query('ROLLBACK TO SAVEPOINT notice_loss'));
    await session.query(
      `CREATE TEMPORARY TABLE ${STAGING} ON COMMIT DROP AS
       SELECT ${target.fieldNames} FROM ${target.name} WITH NO DATA`,
    );
    await session.query(NO_TIMEOUT);
    const source = await recordsOf(delivery, 'copy-text', signal);
    const staged = await session.copyIn(
      `COPY ${STAGING} (${target.fieldNames}) FROM STDIN`,
      source,
      (records, bytes) => progress.wrote(records, bytes),
    );
    await session.query(TIMEOUT);
    await session.work(`ANALYZE ${STAGING}`);
    // Runs into one table take turns; it stays free for everybody else.
    await session.work('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, target.name]);
    return staged;
  }
}
