import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Statement } from '../../src/shared/persistence/statement';
import { createDatabase, dropDatabase, urlOf } from '../support/database';
import { LARGE } from './findings';
import { Plans } from './plans';
import { seed } from './seed';
import { LARGE_TENANT, SMALL_TENANT, VALUES } from './values';

const mockMade: Statement<unknown>[] = [];

// Every statement of the product is seen as it is made, so that none can be left out.
jest.mock('../../src/shared/persistence/statement', () => {
  const actual = jest.requireActual<typeof import('../../src/shared/persistence/statement')>(
    '../../src/shared/persistence/statement',
  );
  const seen =
    <A extends unknown[], S extends Statement<unknown>>(make: (...given: A) => S) =>
    (...given: A): S => {
      const made = make(...given);
      mockMade.push(made);
      return made;
    };
  class Seen<Row> extends actual.Statement<Row> {
    constructor(...given: ConstructorParameters<typeof actual.Statement>) {
      super(...given);
      mockMade.push(this);
    }
  }
  const { pageStatement, resourceStatement } = actual;
  return {
    ...actual,
    Statement: Seen,
    pageStatement: seen(pageStatement),
    resourceStatement: seen(resourceStatement),
  };
});

const SOURCE = join(__dirname, '../../src');

/** Loads every file that makes statements, which it does when it is loaded. */
function statementsOfTheProduct(): Statement<unknown>[] {
  for (const file of readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })) {
    const path = join(SOURCE, file);
    if (!/(?<!\.spec)\.ts$/.test(file) || !/Statement\b/.test(readFileSync(path, 'utf8'))) continue;
    require(path);
  }
  return mockMade;
}

/** Findings that are as they should be, and why. */
const ACCEPTED: Record<string, readonly string[]> = {
  // Of what one user belongs to, which is little.
  'identity.principals_by_keys': [
    'sorts to find the first by ((mine.organization_id = u.current_organization_id)) DESC, mine.joined_at, mine.id',
  ],
  'account.retrieve': [
    'sorts to find the first by ((mine.organization_id = u.current_organization_id)) DESC, mine.joined_at, mine.id',
  ],
  'organization.list': ['sorts to find the first by o.created_at, o.id'],
  'project.list': ['sorts to find the first by p.id'],
  // By member and then by key: no index has both.
  'personal_api_key.list_reaching': [
    'sorts to find the first by m.joined_at DESC, m.id DESC, k.created_at DESC, k.id DESC',
    'reads all of personal_api_keys',
  ],
  // By project and then by place: no index has both; not paged.
  'plugin_config.exporting': ['sorts to find the first by c.project_id, c."order", c.id'],
  // Once for each mail to an organization's people.
  'member.administrators': ['sorts to find the first by m.level DESC, m.joined_at, m.id'],
  'member.told_of_joining': [
    'sorts to find the first by ((NOT (m.user_id IS DISTINCT FROM $3))) DESC, m.level DESC, m.joined_at, m.id',
  ],
  // Two rows at most.
  'organization_administration.id_of': ['sorts to find the first by (((id)::text = lower($1))) DESC'],
  // The first row answers.
  'first_start.anyone': ['reads all of users'],
  // Most of it is over when they run, in the background.
  'limits.prune': ['goes through many of rate_limit_counts', 'reads all of rate_limit_counts'],
  'mails.forget': ['goes through many of mails'],
  // Counted along an index, since any filter may be given: some ten milliseconds for a hundred thousand.
  'batch_export.runs': ['goes through many of batch_export_runs'],
  'batch_export.logs': ['goes through many of batch_export_log_entries'],
  // One row for each export or backfill that has something to do, of which there are few at a time.
  'batch_export.next_of_schedule': ['sorts to find the first by (COALESCE(running.runs, 0)), (random())'],
  'batch_export.next_of_backfill': ['sorts to find the first by (COALESCE(running.runs, 0)), (random())'],
};

/** The lists of the operator's commands, who wants all that there is. */
const OF_ALL = ['key_administration.list', 'user_administration.list', 'organization_administration.list'];

/** Limit and offset. */
const WINDOW = [10, 0];

/** Tables that stay small, whatever the tenants do. */
const SMALL = ['migrations', 'batch_export_workers'];

const isPage = ({ text }: Statement<unknown>): boolean => text.includes(' AS shown,');

describe('Plans', () => {
  const statements = statementsOfTheProduct();
  const database = `hedgerow_plans_${process.pid}`;
  let client: Client;
  let plans: Plans;

  beforeAll(async () => {
    await createDatabase(database);
    client = new Client({ connectionString: urlOf(database) });
    await client.connect();
    await seed(client);
    plans = await Plans.of(client, statements);
  }, 60_000);
  afterAll(async () => {
    await client.end();
    await dropDatabase(database);
  });

  /** By name of the statement, only where there is something. */
  async function found(
    some: readonly Statement<unknown>[],
    look: (statement: Statement<unknown>) => Promise<string[]>,
  ): Promise<Record<string, string[]>> {
    const all: Record<string, string[]> = {};
    for (const statement of some) {
      const accepted = ACCEPTED[statement.name] ?? [];
      const rest = (await look(statement)).filter((finding) => !accepted.includes(finding));
      if (rest.length > 0) all[statement.name] = [...new Set(rest)];
    }
    return all;
  }

  /** Of a list, for the values of both tenants. */
  async function lists(statement: Statement<unknown>): Promise<string[]> {
    const all: string[] = [];
    for (const values of VALUES[statement.name] ?? []) {
      for (const tenant of [LARGE_TENANT, SMALL_TENANT]) {
        all.push(...(await plans.custom(statement, [...values(tenant), ...WINDOW])));
      }
    }
    return all;
  }

  it('are those of statements with names of their own', () => {
    const names = statements.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name, index) => name === '' || names.indexOf(name) !== index)).toEqual([]);
  });

  it('are made for tables that have many rows, each of them', async () => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND reltuples < $1`,
      [LARGE],
    );
    expect(rows.map(({ name }) => name).filter((name) => !SMALL.includes(name))).toEqual([]);
  });

  it('for whatever values read no large table, walk no large index and sort nothing that has an index', async () => {
    const prepared = statements.filter(({ name, prepared }) => prepared && !OF_ALL.includes(name));
    expect(await found(prepared, (statement) => plans.generic(statement))).toEqual({});
  });

  it('for the values of a large and of a small tenant do not either', async () => {
    const pages = statements.filter(isPage);
    expect(pages.map(({ name }) => name).sort()).toEqual(Object.keys(VALUES).sort());
    expect(await found(pages, lists)).toEqual({});
  });

  it('are accepted with a finding only where there is one', async () => {
    const needed = new Set<string>();
    for (const statement of statements) {
      const findings = [
        ...(await plans.generic(statement)),
        ...(isPage(statement) ? await lists(statement) : []),
      ];
      if (findings.length > 0) needed.add(statement.name);
    }
    expect(Object.keys(ACCEPTED).filter((name) => !needed.has(name))).toEqual([]);
  });

  it.each([
    ['actions_list', 'action.list', 'sorts to find the first by'],
    ['batch_exports_of_project', 'batch_export.list_of_project', 'sorts to find the first by'],
    ['organization_memberships_by_level', 'member.list.level', 'sorts to find the first by'],
    ['personal_api_keys_by_user', 'personal_api_key.list', 'reads all of personal_api_keys'],
    ['action_counts_by_project', 'action.list', 'reads all of action_counts'],
    ['batch_exports_due', 'batch_export.due', 'reads all of batch_exports'],
  ])('without the index %s are found out: %s %s', async (index, name, finding) => {
    await client.query(`BEGIN; DROP INDEX ${index}`);
    try {
      const some = statements.filter((statement) => statement.name === name);
      const said = await found(some, (statement) => plans.generic(statement));
      expect(said[name]).toContainEqual(expect.stringContaining(finding));
    } finally {
      await client.query('ROLLBACK');
    }
  });

  it('for the check of keys is made once, however many there are, and looks each up along the index', async () => {
    const statement = statements.find(({ name }) => name === 'identity.principals_by_keys');
    if (!statement) throw new Error('There is no such statement');
    const some = (count: number) => Array.from({ length: count }, (_, i) => `sha256('${i}')`).join(', ');
    await client.query(`PREPARE checks AS ${statement.text}; SET plan_cache_mode = auto`);
    for (const count of [1, 2, 1, 1, 3, 100, 1, 1, 40, 1]) {
      await client.query(
        `EXECUTE checks(ARRAY[${some(count)}], array_fill(NULL::int, ARRAY[${count}]), '2025-02-01T00:00Z')`,
      );
    }
    // PostgreSQL makes a plan for the values five times, to see what that is worth.
    const { rows } = await client.query(
      "SELECT custom_plans::int AS custom, generic_plans::int AS generic FROM pg_prepared_statements WHERE name = 'checks'",
    );
    expect(rows).toEqual([{ custom: 5, generic: 5 }]);
    await client.query('SET plan_cache_mode = force_generic_plan');
    const explained = await client.query<{ 'QUERY PLAN': string }>(
      "EXPLAIN (COSTS off) EXECUTE checks(ARRAY[sha256('1')], ARRAY[1], '2025-02-01T00:00Z')",
    );
    const plan = explained.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Scan using personal_api_keys_value_unique on personal_api_keys k');
  });

  it('of foreign keys have an index, each of them', async () => {
    const { rows } = await client.query<{ key: string }>(
      `SELECT conrelid::regclass || ' ' || conname AS key FROM pg_constraint c
        WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
          SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
           WHERE i.indrelid = c.conrelid AND a.attnum = ANY (c.conkey)
             AND coalesce(pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname), true))`,
    );
    expect(rows).toEqual([]);
  });
});
