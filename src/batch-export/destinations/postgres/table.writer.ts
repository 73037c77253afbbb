import type { Settings } from '../../../config/settings';
import { AddressPolicy } from '../../../shared/net/address-policy';
import type { Delivery, DeliveryProgress } from '../../domain/delivery';
import type { Config } from '../../domain/destination-rules';
import { DestinationWriter } from '../destination-writer';
import type { Dialect } from './dialect';
import { type Patience, Session } from './session';
import { TargetTable } from './target-table';

/** In milliseconds: for which a server may work on what it was told, and say nothing. */
export const LONGEST_STATEMENT = 9 * 60_000;

/** What all tables of servers that speak PostgreSQL's protocol have in common. */
export abstract class TableWriter extends DestinationWriter {
  /** A little more than the server has by itself (`LONGEST_STATEMENT`), so that it is the server that says so. */
  protected readonly patience: Patience = {
    connect: 15_000,
    statement: 120_000,
    work: LONGEST_STATEMENT + 30_000,
    stall: 60_000,
  };
  private readonly policy: AddressPolicy;

  constructor({ allowPrivateDestinations }: Settings) {
    super();
    this.policy = new AddressPolicy(allowPrivateDestinations);
  }

  /**
   * The records wait in a staging table until all are there; one transaction brings them in. So an attempt that ends
   * anywhere has written all or nothing, and one whose end is not known can be repeated.
   */
  async write(
    config: Config,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const target = new TargetTable(config, delivery, this.dialect(config));
    const session = await Session.open(config, { policy: this.policy, patience: this.patience, signal });
    try {
      if (await target.prepare(session)) progress.log('INFO', `Made the table ${target.name}`);
      const staged = await this.stage(session, target, delivery, progress, signal);
      const added = await this.bringIn(session, target, progress);
      await progress.confirm();
      await session.work('COMMIT');
      if (added < staged) {
        progress.log('INFO', `${staged - added} of ${staged} records were in ${target.name} already`);
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      await session.close();
    }
  }

  /** @returns how many records were new */
  private async bringIn(session: Session, target: TargetTable, progress: DeliveryProgress): Promise<number> {
    let added = 0;
    for (const { sql, values } of target.merge) {
      // Nothing is written meanwhile, but the server has answered before.
      progress.wrote(0, 0);
      added = (await session.work(sql, values)).rowCount ?? 0;
    }
    progress.wrote(0, 0);
    return added;
  }

  protected abstract dialect(config: Config): Dialect;

  /**
   * Puts all records into the staging table, and begins the transaction that has the target to itself.
   * @returns how many
   */
  protected abstract stage(
    session: Session,
    target: TargetTable,
    delivery: Delivery,
    progress: DeliveryProgress,
    signal: AbortSignal,
  ): Promise<number>;
}
