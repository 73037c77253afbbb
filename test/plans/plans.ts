import { type Client, escapeIdentifier, escapeLiteral } from 'pg';
import type { Statement } from '../../src/shared/persistence/statement';
import { findings, type PlanNode, type Sizes } from './findings';

type Value = string | number | null;

/** Rows that may be sorted, where a plan is for these values alone. */
const FEW = 50;

/** How PostgreSQL executes statements, without executing them. */
export class Plans {
  private readonly parameters = new Map<string, number>();

  private constructor(
    private readonly client: Client,
    private readonly sizes: Sizes,
  ) {}

  static async of(client: Client, statements: readonly Statement<unknown>[]): Promise<Plans> {
    const { rows } = await client.query<{ name: string; size: number }>(
      `SELECT relname AS name, reltuples AS size FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')`,
    );
    // The tables are as small as a test has them, where reading all looks cheaper than it is in large ones.
    await client.query('SET random_page_cost = 1.1');
    const plans = new Plans(client, new Map(rows.map(({ name, size }) => [name, size])));
    for (const { name, text } of statements) {
      await client.query(`PREPARE ${escapeIdentifier(name)} AS ${text}`);
      const { rows } = await client.query<{ number: number }>(
        'SELECT cardinality(parameter_types) AS number FROM pg_prepared_statements WHERE name = $1',
        [name],
      );
      plans.parameters.set(name, rows[0]?.number ?? 0);
    }
    return plans;
  }

  /** What is wrong with the plan for whatever values, which a prepared statement gets once it is used often. */
  async generic({ name }: Statement<unknown>): Promise<string[]> {
    const values = Array<null>(this.parameters.get(name) ?? 0).fill(null);
    // It is for the average tenant: one sorted row may be a million of another's.
    return this.findings('force_generic_plan', name, values, 0);
  }

  /** What is wrong with the plan for these values. */
  async custom({ name }: Statement<unknown>, values: readonly Value[]): Promise<string[]> {
    return this.findings('force_custom_plan', name, values, FEW);
  }

  private async findings(
    mode: string,
    name: string,
    values: readonly Value[],
    few: number,
  ): Promise<string[]> {
    const literals = values.map((value) => (value === null ? 'NULL' : escapeLiteral(String(value))));
    const given = literals.length === 0 ? '' : `(${literals.join(', ')})`;
    await this.client.query(`SET plan_cache_mode = ${mode}`);
    const { rows } = await this.client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      `EXPLAIN (FORMAT JSON) EXECUTE ${escapeIdentifier(name)}${given}`,
    );
    const [explained] = rows[0]?.['QUERY PLAN'] ?? [];
    if (!explained) throw new Error(`${name} has no plan`);
    return findings(explained.Plan, this.sizes, few);
  }
}
