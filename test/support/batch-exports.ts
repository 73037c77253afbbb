import { v7 as uuidv7 } from 'uuid';
import type { Person, TestApi } from './api';

export interface ScheduledRun {
  /** Of its data interval, which is an hour. */
  readonly start: string;
  readonly status?: string;
}

/** The hours of the first day of 2025. */
export const DAY = { start_at: '2025-01-01T00:00:00Z', end_at: '2025-01-02T00:00:00Z' };

/** Hourly exports of a project that has data since 2025, as a person has them. */
export class HourlyExports {
  private constructor(
    private readonly api: TestApi,
    readonly person: Person,
  ) {}

  static async of(api: TestApi, person: Person): Promise<HourlyExports> {
    await api.eventAt(person.projectId, DAY.start_at);
    return new HourlyExports(api, person);
  }

  /** @returns its id */
  async create(base = this.person.path('batch_exports/')): Promise<string> {
    const body = { name: 'Hourly', interval: 'hour', destination: { type: 'NoOp' } };
    const created = await this.person.post(base, body);
    expect(created.status).toBe(201);
    return created.body.id;
  }

  /** Below an export: `path(id, 'runs/')`. */
  path = (id: string, rest = '') => this.person.path(`batch_exports/${id}/${rest}`);

  async backfill(id: string, range: object = DAY) {
    const created = await this.person.post(this.path(id, 'backfills/'), range);
    expect(created.status).toBe(201);
    return created.body;
  }

  /** Has a backfill's runs be what they are given, the first hour's first. */
  async work(backfillId: string, statuses: readonly string[]): Promise<void> {
    await this.api.rows(
      `UPDATE batch_export_runs r SET status = given.status
         FROM unnest($2::text[]) WITH ORDINALITY AS given (status, place)
        WHERE r.backfill_id = $1
          AND r.data_interval_start = $3::timestamptz + (given.place - 1) * interval '1 hour'`,
      [backfillId, statuses, DAY.start_at],
    );
  }

  /** Runs as the schedule makes them, a second after each other. @returns their ids */
  async schedule(id: string, runs: readonly ScheduledRun[]): Promise<string[]> {
    const ids: string[] = [];
    for (const { start, status = 'Completed' } of runs) {
      this.api.clock.advance({ seconds: 1 });
      const runId = uuidv7();
      await this.api.rows(
        `INSERT INTO batch_export_runs
           (id, batch_export_id, status, data_interval_start, data_interval_end, created_at, last_updated_at)
         VALUES ($1, $2, $3, $4::timestamptz, $4::timestamptz + interval '1 hour', $5, $5)`,
        [runId, id, status, start, this.api.clock.now()],
      );
      ids.push(runId);
    }
    return ids;
  }

  async runs(id: string, query = '') {
    const answer = await this.person.get(this.path(id, `runs/${query}`));
    expect(answer.status).toBe(200);
    return answer.body.results;
  }

  /** Whether a run waits for a worker, which its turn it is then. */
  isQueued = async (runId: string): Promise<boolean> => {
    const sql =
      "SELECT FROM batch_export_runs WHERE id = $1 AND status = 'Starting' AND queued_at IS NOT NULL";
    return (await this.api.rows(sql, [runId])).length === 1;
  };

  /** All that is known of an export's runs, backfills and log, to see that nothing has changed. */
  async everythingOf(id: string) {
    const tables = ['batch_export_runs', 'batch_export_backfills', 'batch_export_log_entries'];
    return Promise.all(
      tables.map((table) =>
        this.api.rows(`SELECT * FROM ${table} WHERE batch_export_id = $1 ORDER BY id`, [id]),
      ),
    );
  }
}
