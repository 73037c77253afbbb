import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Clock } from '../../shared/domain/clock';
import { Metrics } from '../../shared/http/metrics';
import { Transaction } from '../../shared/persistence/transaction';
import type { DestinationTypeName } from '../domain/destination-types';
import type { RunProgress, RunStatus } from '../domain/run';
import { ScheduleRepository } from '../persistence/schedule.repository';

/** In milliseconds: a scrape does not wait longer for the database. */
const LONGEST_WAIT = 2_000;

/** What `/metrics` tells of batch exports: of the runs that this process executes, and of the schedule of all. */
@Injectable()
export class RunMetrics implements OnModuleInit {
  private readonly runs = new Counter({
    name: 'batch_export_runs_total',
    help: 'Runs of batch exports that this process has seen come to this status: to an end, or to wait for a retry.',
    labelNames: ['status', 'destination'],
    registers: [],
  });
  private readonly records = new Counter({
    name: 'batch_export_records_total',
    help: 'Records that this process has exported in completed runs.',
    labelNames: ['destination'],
    registers: [],
  });
  private readonly bytes = new Counter({
    name: 'batch_export_bytes_total',
    help: 'Bytes that this process has written to destinations in completed runs.',
    labelNames: ['destination'],
    registers: [],
  });
  private readonly seconds = new Histogram({
    name: 'batch_export_run_duration_seconds',
    help: 'Seconds from the start to the end of an attempt of a batch export run.',
    labelNames: ['status', 'destination'],
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400],
    registers: [],
  });
  private asking: Promise<Date | null> | null = null;

  constructor(
    private readonly metrics: Metrics,
    private readonly schedules: ScheduleRepository,
    private readonly clock: Clock,
    private readonly transaction: Transaction,
  ) {}

  onModuleInit(): void {
    for (const metric of [this.runs, this.records, this.bytes, this.seconds]) this.metrics.register(metric);
    const lag = () => this.lag();
    this.metrics.register(
      new Gauge({
        name: 'batch_export_lag_seconds',
        help:
          'Seconds since the end of the oldest data interval whose scheduled run has not ended, or was asked for ' +
          'again; 0 when there is none.',
        registers: [],
        // Of processes that serve together, all tell the same.
        aggregator: 'max',
        async collect() {
          this.set(await lag());
        },
      }),
    );
  }

  cameTo(status: RunStatus, destination: DestinationTypeName, runs = 1): void {
    this.runs.inc({ status, destination }, runs);
  }

  /** What an attempt has done, that ended in this. */
  attempted(
    destination: DestinationTypeName,
    status: RunStatus,
    progress: RunProgress,
    seconds: number,
  ): void {
    this.seconds.observe({ status, destination }, seconds);
    if (status !== 'Completed') return;
    this.records.inc({ destination }, progress.recordsCompleted);
    this.bytes.inc({ destination }, progress.bytes);
  }

  /** NaN when the database does not say it soon: the other metrics are told anyway. */
  private async lag(): Promise<number> {
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('The database does not answer')), LONGEST_WAIT);
    });
    try {
      const since = await Promise.race([this.lateSince(), impatience]);
      return since ? Math.max(0, (this.clock.now().getTime() - since.getTime()) / 1000) : 0;
    } catch {
      return Number.NaN;
    } finally {
      clearTimeout(timer);
    }
  }

  /** However many scrape at once, the database is asked once. */
  private lateSince(): Promise<Date | null> {
    this.asking ??= this.transaction
      .aside(() => this.schedules.lateSince())
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }
}
